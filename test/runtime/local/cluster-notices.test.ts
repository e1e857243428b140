import { expect, it } from "vitest";
import { epochMs } from "#domain/shared/time";
import { withNotices } from "#runtime/local/cluster-notices";
import { stateInMemory } from "#test/state";

it("a cluster's problem is printed once, and again when it changes or ends", async () => {
  const notices: string[] = [];
  const states = withNotices(stateInMemory().clusterStates, (text) => notices.push(text));
  const problem = (detail: string) =>
    ({ reason: "cluster-denied", detail, since: epochMs(1), at: epochMs(2) }) as const;
  const denied = { name: "prod", problem: problem("its token expired") };

  await states.write({ name: "stage" });
  await states.write(denied);
  await states.write(denied);
  await states.write({ name: "prod", problem: problem("no connection") });
  await states.write({ name: "prod" });
  await states.write({ name: "prod" });
  await states.write(denied);

  expect(notices).toEqual([
    "cluster prod: its token expired",
    "cluster prod: no connection",
    "cluster prod: reachable again",
    "cluster prod: its token expired",
  ]);
  expect(await states.read("prod")).toEqual(denied);
});

import { expect, it } from "vitest";
import { historyRows, pushRows, runRows } from "#app/shared/derived-history";
import type { Ports } from "#app/shared/ports";
import { hours, minutes, plus } from "#domain/shared/time";
import { stateInMemory } from "#test/state";
import { begins, host, trackApi, worldWithApi } from "../world.ts";

it("lost rows of the history, of pushes and of running images are written again from records and the ledger", async () => {
  const lookout = await worldWithApi();
  const key = await trackApi(lookout);
  await lookout.push("shop/api", "1.1.0");
  await lookout.pass(minutes(5));
  const digest = await lookout.push("shop/api", "1.2.0");
  await lookout.pass(minutes(5));
  const { ports } = lookout;
  const push = (await lookout.record(key)).last!.correlationId!;
  const told = async ({ history, pushes, digests }: Ports) => {
    const { rows } = await history.read({ since: begins, until: plus(begins, hours(1)), limit: 100 });
    return { rows, steps: await pushes.stepsOf(push), runs: await digests.present("prod") };
  };

  const { history, pushes, digests } = stateInMemory();
  const lost: Ports = { ...ports, history, pushes, digests };
  expect(await told(lost)).toEqual({ rows: [], steps: [], runs: [] });
  for (const rows of [historyRows, pushRows, runRows]) {
    expect(await rows.differing([key], ports), rows.name).toEqual([]);
    expect(await rows.differing([key], lost), rows.name).toEqual([key]);
    await rows.rebuild([key], lost);
    expect(await rows.differing([key], lost), rows.name).toEqual([]);
  }

  const all = await told(ports);
  expect(await told(lost)).toEqual(all);
  expect(all.rows.map(({ row }) => row.ended)).toEqual(["succeeded", "succeeded"]);
  expect(all.runs).toMatchObject([{ workload: key, imageName: `${host}/shop/api`, tag: "1.2.0", digest }]);
});

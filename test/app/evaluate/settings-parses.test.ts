import { expect, it } from "vitest";
import { evaluateWorkload, type EvaluateOutcome } from "#app/evaluate/evaluate-workload";
import { seconds } from "#domain/shared/time";
import { named } from "#test/named";
import { api, trackApi, worldWithApi } from "../world.ts";

it("an evaluation parses the settings once for each version of the record that it reads", async () => {
  const lookout = await worldWithApi();
  const { patterns } = lookout.ports;
  let parses = 0;
  // Each parse of settings with a pattern asks for the compiler once.
  const compiler = () => {
    parses += 1;
    return patterns.compiler();
  };
  Object.assign(lookout.ports, { patterns: { ...patterns, compiler } });
  const evaluated = async (id: string): Promise<readonly [EvaluateOutcome["kind"], number]> => {
    parses = 0;
    const command = { name: "EvaluateWorkload", id, workload: named(key), source: "test" } as const;
    const { kind } = await evaluateWorkload(command, lookout.ports, new AbortController().signal);
    return [kind, parses];
  };
  const key = await trackApi(lookout, { "lookout.dev/tag-pattern": "^1[.]" });

  expect(await evaluated("1")).toEqual(["unchanged", 1]);
  await lookout.push("shop/api", "1.1.0", { quietly: true });
  expect(await evaluated("2")).toEqual(["stored", 1]);
  await lookout.pass(seconds(60));
  lookout.cluster.annotate(api, { "lookout.dev/suspend": "true" });
  expect(await evaluated("3")).toEqual(["stored", 2]);
});

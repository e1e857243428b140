import { beforeEach, describe, expect, it } from "vitest";
import { minutes, seconds } from "#domain/shared/time";
import { differsFromRecord } from "#domain/update/decide/observe";
import type { LiveWorkload } from "#domain/workload/workload";
import type { WorkloadHint } from "#ports/cluster";
import { host, type World, world } from "../world.ts";

const tiers = ["dev", "prod"].map((name) => ({ name, soak: minutes(0), haltOnFailure: true, namespaces: [] }));
const rules = { tiers, tierLabel: "tier", tierGroupLabel: "team", clusters: [] };
/** As many labels as a record keeps, all before `team` and `tier`. */
const twenty = Object.fromEntries(Array.from({ length: 20 }, (_, place) => [`a${String(place).padStart(2, "0")}`, ""]));

let lookout: World;
beforeEach(async () => {
  lookout = world({}, undefined, [], undefined, undefined, undefined, undefined, undefined, rules);
  await lookout.push("shop/api", "1.0.0", { quietly: true });
});

/** Applies a workload with twenty other labels, as a person does. */
function apply(labels: Readonly<Record<string, string>>): string {
  return lookout.deploy({
    ...{ name: "api", image: `${host}/shop/api:1.0.0` },
    annotations: { "lookout.dev/enabled": "true" },
    labels: { ...twenty, ...labels },
  });
}

async function memberAfterSync(key: string) {
  await lookout.sync();
  await lookout.pass(seconds(5));
  return (await lookout.record(key)).member;
}

describe("the labels of tiers, behind the twenty that a record keeps", () => {
  it("are kept, and a sync sees that they change or go", async () => {
    const key = apply({ tier: "dev", team: "one" });
    expect(await memberAfterSync(key)).toEqual({ tier: "dev", group: "one" });
    apply({ tier: "prod", team: "two" });
    expect(await memberAfterSync(key)).toEqual({ tier: "prod", group: "two" });
    apply({ tier: "", team: "" });
    expect(await memberAfterSync(key)).toEqual({ tier: "prod", group: "shop/api" });
  });

  it("are in the hints of a watch, which sees that they change", async () => {
    const key = apply({ tier: "dev" });
    await memberAfterSync(key);
    const record = await lookout.record(key);
    const stop = new AbortController();
    const hints: LiveWorkload[] = [];
    const onHint = ({ live }: WorkloadHint): void => {
      hints.push(...(live === undefined ? [] : [live]));
    };
    const watching = lookout.ports.clusters.cluster("prod")?.watch(onHint, stop.signal);
    apply({ tier: "prod" });
    stop.abort();
    await watching;

    expect(hints.map((live) => [live.namedLabels, differsFromRecord(record, live)])).toEqual([
      [{ tier: "prod" }, true],
    ]);
  });

  it("may have the name of something that each object of JavaScript has", async () => {
    lookout = world({}, undefined, [], undefined, undefined, undefined, undefined, undefined, {
      ...rules,
      tierLabel: "constructor",
    });
    await lookout.push("shop/api", "1.0.0", { quietly: true });
    expect(await memberAfterSync(apply({}))).toEqual({ tier: "prod", group: "shop/api" });
  });
});

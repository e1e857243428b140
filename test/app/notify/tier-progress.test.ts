import { describe, expect, it } from "vitest";
import { minutes, seconds } from "#domain/shared/time";
import { tierMetrics } from "#domain/update/effects/metrics";
import { publishChanges } from "#app/notify/state-changed";
import { members, tiered, twoTiers } from "../gate/tiered.ts";
import type { World } from "../world.ts";

/** What was measured of groups, one text for each time. */
function measured({ measurements }: World): readonly string[] {
  const of = tierMetrics.map((name) => measurements.filter((one) => one.name === name));
  return (of[0] ?? []).map(({ about }, index) => {
    const values = of.map((all) => String(all[index]?.value));
    return [about["group"], about["tag"], about["tier"] ?? "done", ...values].join(" ");
  });
}

describe("the metrics of tiers", () => {
  it("follow a group from its first member to its last one", async () => {
    const lookout = tiered(twoTiers);
    await members(lookout, ["dev-1", "dev-2", "prod"]);
    expect(measured(lookout)).toEqual([]);
    await lookout.push("shop/web", "1.1.0");
    await lookout.pass(minutes(15));

    const all = measured(lookout);
    expect(all.at(0)).toMatch(/^web 1\.1\.0 (?:dev 1 1 2|prod 2 2 1) 0 0/);
    expect(all.at(-1)).toBe("web 1.1.0 done 0 3 0 0 0");
  });

  it("cost nothing while nothing changes", async () => {
    const lookout = tiered(twoTiers);
    await members(lookout, ["dev", "prod"]);
    await lookout.push("shop/web", "1.1.0");
    await lookout.pass(minutes(15));
    const before = measured(lookout).length;
    await lookout.sync();
    await lookout.pass(seconds(70));

    expect(measured(lookout)).toHaveLength(before);
  });

  it("read each tier of a group once for many changes", async () => {
    const lookout = tiered(twoTiers);
    const names = ["dev-1", "dev-2", "dev-3", "prod"] as const;
    const keys = await members(lookout, names);
    await lookout.push("shop/web", "1.1.0");
    await lookout.pass(minutes(1));
    const records = await Promise.all(keys.map((key) => lookout.record(key)));
    const reads: string[] = [];
    const { tierMembers } = lookout.ports;
    const ports = {
      ...lookout.ports,
      tierMembers: {
        ...tierMembers,
        list: (place: Parameters<typeof tierMembers.list>[0]) => {
          reads.push(place.tier);
          return tierMembers.list(place);
        },
      },
    };
    const changed = records.map((record) => ({
      ...record,
      effects: {
        tier: { puts: { ...record.member, workload: record.workload, containers: [], ran: [], halted: [] } },
      },
    }));
    await publishChanges(changed.map((record) => ({ record })) as never, ports);

    expect(reads.toSorted()).toEqual(["dev", "prod"]);
  });
});

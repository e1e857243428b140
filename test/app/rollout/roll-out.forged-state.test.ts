import { beforeEach, describe, expect, it } from "vitest";
import { freeze, unfreeze } from "#app/api/freezes";
import { hours, minutes, plus, seconds } from "#domain/shared/time";
import type { WorkloadRecord } from "#domain/update/state/workload";
import type { ImageChange } from "#domain/workload/patch";
import { host, trackApi, type World, worldWithApi } from "../world.ts";

const evil = `evil.test/shop/api:1.1.0@sha256:${"e".repeat(64)}`;

let lookout: World;
let key: string;
beforeEach(async () => {
  lookout = await worldWithApi();
  key = await trackApi(lookout);
});

/** Stores another version of the record, as someone who can write into the store but not decide. */
async function forge(change: (record: WorkloadRecord) => Partial<WorkloadRecord>): Promise<void> {
  const record = await lookout.record(key);
  const { budget, ...effects } = record.effects;
  const forged = { ...record, effects, ...change(record), version: record.version + 1, cause: "forged" };
  expect(await lookout.ports.store.write(forged)).toEqual({ kind: "written" });
}

const with0 = (changes: readonly ImageChange[], given: Partial<ImageChange>): readonly ImageChange[] =>
  changes.map((change) => ({ ...change, ...given }));
/**
 * Lets minutes pass with the reaper: the messages of the version before say nothing to the forged
 * one.
 */
async function passWithReaper(count: number): Promise<void> {
  for (let minute = 0; minute < count; minute += 1) {
    await lookout.pass(minutes(1));
    await lookout.reap();
  }
}
const ourWrites = () => lookout.cluster.history.filter(({ manager }) => manager === "lookout");

describe("a forged update in the store", () => {
  it("to another repository is held with a reason and never patched, and the next push continues", async () => {
    await freeze({ scope: {}, by: "ana", why: "the year ends" }, lookout.ports);
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(2));
    await forge(({ pending }) => ({
      pending: { ...pending!, changes: with0(pending!.changes, { to: evil, imageName: "evil.test/shop/api" }) },
    }));
    await unfreeze({}, lookout.ports);
    await passWithReaper(2);

    const { pending } = await lookout.record(key);
    expect(pending?.waits).toEqual([
      {
        reason: "other-repository",
        until: expect.any(Number) as number,
        detail: `app: ${host}/shop/api:1.0.0 to ${evil}`,
      },
    ]);
    expect(ourWrites()).toEqual([]);

    const digest = await lookout.push("shop/api", "1.2.0");
    await lookout.pass(minutes(1));
    expect(lookout.image(key)).toBe(`${host}/shop/api:1.2.0@${digest}`);
  });

  it.each([evil, `${host}/shop/api:0.9.0`])(
    "with a rollback to %s, which the history does not show, is not rolled back, with a reason",
    async (from) => {
      const digest = await lookout.push("shop/api", "1.1.0", { broken: true });
      await lookout.settle();
      await forge(({ active }) => ({ active: { ...active!, changes: with0(active!.changes, { from }) } }));
      await passWithReaper(15);
      lookout.clock.turn(hours(26));
      await passWithReaper(3);

      expect((await lookout.record(key)).last).toMatchObject({
        status: "rollback-failed",
        reason: "rollback-unproved",
      });
      expect(lookout.image(key)).toBe(`${host}/shop/api:1.1.0@${digest}`);
      expect(ourWrites()).toHaveLength(1);
    },
  );

  it("is retried after its pause, and held again", async () => {
    await freeze({ scope: {}, by: "ana", why: "the year ends" }, lookout.ports);
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(2));
    await forge(({ pending }) => ({ pending: { ...pending!, changes: with0(pending!.changes, { to: evil }) } }));
    await unfreeze({}, lookout.ports);
    await passWithReaper(2);
    const first = (await lookout.record(key)).pending?.waits[0]?.until;
    await passWithReaper(61);
    const second = (await lookout.record(key)).pending?.waits[0];

    expect(second?.reason).toBe("other-repository");
    expect(second?.until).toBeGreaterThan(plus(first!, minutes(50)));
    expect(ourWrites()).toEqual([]);
  });
});

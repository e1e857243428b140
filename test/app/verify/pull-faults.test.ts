import { named } from "#test/named";
import { beforeEach, describe, expect, it } from "vitest";
import { unblockWorkload } from "#app/api/unblock";
import { minutes, seconds } from "#domain/shared/time";
import { host, type PulledLater, trackApi, type World, worldWithApi } from "../world.ts";

let lookout: World;
let key: string;
let digest: string;
beforeEach(async () => {
  lookout = await worldWithApi();
});

const old = `${host}/shop/api:1.0.0`;
const new1 = (): string => `${host}/shop/api:1.1.0@${digest}`;

/** Starts an update at 10:00:02 whose pulls fail from 10:00:03 on. */
async function updates(pulled: PulledLater, annotations: Record<string, string> = {}): Promise<void> {
  key = await trackApi(lookout, annotations);
  digest = await lookout.push("shop/api", "1.1.0", { pulled });
  await lookout.pass(seconds(2));
  expect(lookout.image(key)).toBe(new1());
}

/** The pull works again for every pod that starts from now on. */
const worksAgain = (): boolean => lookout.pulledLater.delete(digest);

const gone = Number.POSITIVE_INFINITY;
const lastOf = async () => {
  const { last } = await lookout.record(key);
  return last === undefined ? undefined : { status: last.status, ...("reason" in last && { reason: last.reason }) };
};
const failures = () => lookout.facts.filter(({ name }) => name === "RolloutFailed").map(({ at }) => at);

describe("a pull that fails for a while", () => {
  it.each(["denial", "timeout"] as const)(
    "because of a %s does not fail the update within a minute",
    async (because) => {
      await updates({ afterMs: 40_000, because });
      await lookout.pass(minutes(2));

      expect(lookout.image(key)).toBe(new1());
      expect(await lastOf()).toEqual({ status: "succeeded" });
      expect((await lookout.record(key)).blocked).toEqual([]);
    },
  );

  it("is rolled back at the end of its grace, at most 15 s later, and its digest is blocked", async () => {
    await updates({ afterMs: gone, because: "denial" });
    const [patched] = lookout.facts.filter(({ name }) => name === "RolloutStarted").map(({ at }) => at);
    await lookout.pass(minutes(2));

    const [failed] = failures();
    expect((failed ?? 0) - (patched ?? 0)).toBeGreaterThanOrEqual(60_000);
    expect((failed ?? 0) - (patched ?? 0)).toBeLessThanOrEqual(61_000 + 15_000);
    expect(lookout.image(key)).toBe(old);
    expect(await lastOf()).toEqual({ status: "rolled-back", reason: "rollout-failed" });
    expect((await lookout.record(key)).blocked).toMatchObject([{ digest, reason: "rollout-failed" }]);
  });

  it("has the grace of lookout.dev/pull-grace", async () => {
    await updates({ afterMs: 40_000, because: "denial" }, { "lookout.dev/pull-grace": "10s" });
    await lookout.pass(seconds(35));

    expect(lookout.image(key)).toBe(old);
  });

  it("holds updates while the grace can't be read, and names the annotation", async () => {
    key = await trackApi(lookout, { "lookout.dev/pull-grace": "2d" });
    digest = await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(30));

    expect(lookout.image(key)).toBe(old);
    expect((await lookout.record(key)).selectionFailures).toMatchObject([
      {
        reason: "problem-in-settings",
        detail: expect.stringContaining('lookout.dev/pull-grace "2d": expected 1s to 1h, such as 60s') as string,
      },
    ]);
  });
});

describe("an image that the registry does not have", () => {
  it("is rolled back within three seconds", async () => {
    key = await trackApi(lookout);
    await lookout.push("shop/api", "1.1.0", { broken: true });
    await lookout.pass(seconds(3));

    expect(lookout.image(key)).toBe(old);
    expect(lookout.factNames(key)).toContain("RolloutStarted");
    expect(lookout.facts.find(({ name }) => name === "RolloutFailed")?.detail).toMatch(
      /^ImagePullBackOff in container app .*, the registry has no such image$/,
    );
  });
});

describe("a registry that limits pulls", () => {
  const untilNextTry = async (pause: ReturnType<typeof minutes>): Promise<void> => {
    await lookout.pass(pause);
    await lookout.reap();
    await lookout.pass(seconds(5));
  };
  const limited = { afterMs: gone, because: "limit" } as const;
  const soon = { "lookout.dev/rollback-timeout": "2m" };

  it("has the whole time of the rollout", async () => {
    await updates({ afterMs: 90_000, because: "limit" }, soon);
    await lookout.pass(minutes(2));

    expect(lookout.image(key)).toBe(new1());
    expect(await lastOf()).toEqual({ status: "succeeded" });
  });

  it("rolls the update back at the deadline, blocks nothing, and tries again after 15 min", async () => {
    await updates(limited, soon);
    await lookout.pass(minutes(3));

    expect(lookout.image(key)).toBe(old);
    expect(await lastOf()).toEqual({ status: "rolled-back", reason: "pull-limited" });
    const record = await lookout.record(key);
    expect(record.blocked).toEqual([]);
    expect(record.pending?.waits).toEqual([
      {
        reason: "pull-limited",
        detail: expect.stringMatching(/^1\.1\.0 is tried again at 2026-11-21T10:17:\d\d/) as string,
        until: expect.any(Number) as number,
      },
    ]);

    worksAgain();
    await untilNextTry(minutes(13));
    expect(lookout.image(key)).toBe(old);
    await untilNextTry(minutes(2));
    await lookout.pass(seconds(30));
    expect(lookout.image(key)).toBe(new1());
    expect(await lastOf()).toEqual({ status: "succeeded" });
    expect(await lookout.record(key)).not.toHaveProperty("limited");
  });

  it("doubles the pause for the same digest, and lets a newer digest through", async () => {
    await updates(limited, soon);
    await lookout.pass(minutes(3));
    await untilNextTry(minutes(15));
    await lookout.pass(minutes(3));
    const [before] = (await lookout.record(key)).limited ?? [];

    expect(lookout.image(key)).toBe(old);
    expect(before?.times).toBe(2);
    expect((before?.until ?? 0) - lookout.clock.now()).toBeGreaterThan(minutes(25));

    await lookout.push("shop/api", "1.2.0");
    await lookout.pass(seconds(30));
    expect(lookout.image(key)).toContain("shop/api:1.2.0@");
  });

  it("is asked again at once after lookout unblock", async () => {
    await updates(limited, soon);
    await lookout.pass(minutes(3));
    worksAgain();

    expect(await unblockWorkload(named(key), { by: "ana" }, lookout.ports)).toMatchObject({
      workload: key,
      hold: false,
      blocked: 1,
      digests: [{ tag: "1.1.0" }],
      rejected: 0,
      left: { hold: false, digests: [] },
    });
    await lookout.pass(seconds(30));
    expect(lookout.image(key)).toBe(new1());
  });
});

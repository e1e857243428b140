import { beforeEach, describe, expect, it } from "vitest";
import { minutes, seconds } from "#domain/shared/time";
import { host, type CreatedLater, trackApi, type World, worldWithApi } from "../world.ts";

let lookout: World;
let key: string;
let digest: string;
beforeEach(async () => {
  lookout = await worldWithApi();
});

const old = `${host}/shop/api:1.0.0`;
const never = Number.POSITIVE_INFINITY;
const soon = { "lookout.dev/rollback-timeout": "2m" };

async function updates(created: CreatedLater): Promise<void> {
  key = await trackApi(lookout, soon);
  digest = await lookout.push("shop/api", "1.1.0", { created });
  await lookout.pass(minutes(1));
}

const lastOf = async () => {
  const { last } = await lookout.record(key);
  return last && { status: last.status, ...("reason" in last && { reason: last.reason, detail: last.detail }) };
};

describe.each([
  ["quota", "quota-exceeded", "FailedCreate: quota team is exceeded"],
  ["webhook", "webhook-unavailable", "FailedCreate: admission webhook sign.example.com gives no answer"],
] as const)("a %s that lets no pods be created", (because, reason, detail) => {
  it("has the whole time of the rollout", async () => {
    await updates({ afterMs: 80_000, because });
    await lookout.pass(minutes(2));

    expect(await lastOf()).toEqual({ status: "succeeded" });
  });

  it("rolls the update back at the deadline, names itself, and lets the digest come again", async () => {
    await updates({ afterMs: never, because });
    await lookout.pass(minutes(2));

    expect(lookout.image(key)).toBe(old);
    expect(await lastOf()).toEqual({ status: "rolled-back", reason, detail });
    expect((await lookout.record(key)).blocked).toEqual([]);
    expect((await lookout.record(key)).pending?.waits).toMatchObject([{ reason }]);

    lookout.createdLater.delete(digest);
    await lookout.pass(minutes(15));
    await lookout.reap();
    await lookout.pass(seconds(30));
    expect(lookout.image(key)).toBe(`${host}/shop/api:1.1.0@${digest}`);
    expect(await lookout.record(key)).not.toHaveProperty("limited");
  });
});

describe("a policy that denies the new pods", () => {
  it("fails the update at once, names itself, and blocks the digest", async () => {
    await updates({ afterMs: never, because: "policy" });

    expect(lookout.image(key)).toBe(old);
    expect(await lastOf()).toEqual({
      status: "rolled-back",
      reason: "pods-denied",
      detail: "FailedCreate: denied by ValidatingAdmissionPolicy signed",
    });
    expect((await lookout.record(key)).blocked).toMatchObject([{ digest, reason: "pods-denied" }]);
  });
});

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { explain } from "#app/api/explain";
import { hours, minutes, seconds } from "#domain/shared/time";
import { type CheckedWorld, checkedWorld } from "../gate/checked-world.ts";
import { host, trackApi, type World } from "../world.ts";

let checked: CheckedWorld;
let lookout: World;
beforeEach(async () => {
  checked = await checkedWorld([{ name: "smoke", when: "bake", namespaces: ["shop"] }]);
  lookout = checked.lookout;
});
afterEach(() => checked[Symbol.asyncDispose]());

const before = `${host}/shop/api:1.0.0`;
const last = async (key: string) => {
  const { last: ended } = await lookout.record(key);
  return ended && [ended.status, "reason" in ended ? ended.reason : undefined, ended.detail];
};

describe("an update with a bake", () => {
  it("succeeds when its pods have settled and the check allows them, asked once for each workload", async () => {
    checked.answer({ allow: true, reason: "error rate 0.1 %" });
    const key = await trackApi(lookout);
    const other = lookout.deploy({ name: "two", image: before });
    await lookout.pass(seconds(2));
    await lookout.sync();
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(2));

    expect(await last(key)).toEqual(["succeeded", undefined, "3 pods; smoke allows it: error rate 0.1 %"]);
    expect((await last(other))?.[0]).toBe("succeeded");
    expect(
      checked
        .questions()
        .map(({ when, workload }) => [when, workload.name])
        .toSorted(),
    ).toEqual([
      ["bake", "api"],
      ["bake", "two"],
    ]);
  });

  it("is rolled back when the check refuses its pods, and its digest is blocked", async () => {
    checked.answer({ allow: false, reason: "error rate 12 %" });
    const key = await trackApi(lookout);
    const digest = await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(2));

    expect(lookout.image(key)).toBe(before);
    expect(await last(key)).toEqual(["rolled-back", "check-failed", "smoke: error rate 12 %"]);
    const { blocked } = await lookout.record(key);
    expect(blocked.map((one) => [one.digest, one.reason])).toEqual([[digest, "check-failed"]]);
    expect(lookout.factNames(key)).toContain("RolledBack");
  });

  it("fails without a rollback if the workload forbids rollbacks", async () => {
    checked.answer({ allow: false, reason: "no" });
    const key = await trackApi(lookout, { "lookout.dev/auto-rollback": "false" });
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(2));

    expect(lookout.image(key)).toContain("1.1.0");
    expect(await last(key)).toEqual(["failed", "check-failed", "smoke: no"]);
  });

  it("stays in progress while the check gives no answer, and says for which check it waits", async () => {
    checked.server.answerNext({ status: 503 }, { status: 503 });
    const key = await trackApi(lookout);
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(45));

    const { active } = await lookout.record(key);
    expect(active?.status).toBe("rolling-out");
    const shown = await explain(key, lookout.ports, AbortSignal.timeout(5_000));
    expect(shown?.workload.active?.detail).toMatch(
      /^3 pods run, no answer of the check smoke: it answered 503, and not 200, asked again at 2026-/,
    );
    await lookout.pass(minutes(3));
    expect((await last(key))?.[0]).toBe("succeeded");
    expect(checked.questions()).toHaveLength(3);
  });

  it("is rolled back without an answer in time, and comes again later, because that blocks no digest", async () => {
    checked.server.answerNext(...Array.from({ length: 6 }, () => ({ status: 503 })));
    const key = await trackApi(lookout, { "lookout.dev/rollback-timeout": "5m" });
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(8));

    expect(lookout.image(key)).toBe(before);
    expect(await last(key)).toEqual(["rolled-back", "check-unanswered", "smoke: it answered 503, and not 200"]);
    const { blocked, limited } = await lookout.record(key);
    expect(blocked).toEqual([]);
    expect(limited?.map(({ reason }) => reason)).toEqual(["check-unanswered"]);
    await lookout.pass(hours(1));
    expect(lookout.image(key)).toContain("1.1.0");
    expect((await last(key))?.[0]).toBe("succeeded");
  });

  it("is asked after its pods settled, and not before", async () => {
    const key = await trackApi(lookout);
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(8));
    expect(lookout.image(key)).toContain("1.1.0");
    expect(checked.questions()).toEqual([]);
  });

  it("fails by its pods first: no check is asked about pods that crash", async () => {
    const key = await trackApi(lookout);
    await lookout.push("shop/api", "1.1.0", { broken: true });
    await lookout.pass(minutes(3));

    expect((await last(key))?.slice(0, 2)).toEqual(["rolled-back", "rollout-failed"]);
    expect(checked.questions()).toEqual([]);
  });
});

import { named as workloadNamed } from "#test/named";
import { beforeEach, describe, expect, it } from "vitest";
import { explain } from "#app/api/explain";
import { unblockWorkload } from "#app/api/unblock";
import { readDecisions, readWorkload } from "#app/api/workloads";
import type { WorkloadView } from "#contracts/api/workloads";
import { stateOf } from "#cli/render/state";
import { renderExplanation } from "#cli/render/explain";
import type { Style } from "#cli/render/style";
import { seconds } from "#domain/shared/time";
import { api, host, trackApi, worldWithApi, type World } from "../world.ts";

let lookout: World;

beforeEach(async () => {
  lookout = await worldWithApi();
});

const style = (): Style => ({
  ...{ width: undefined, colour: false, timeZone: "UTC", wide: false },
  now: lookout.clock.now(),
});

/** What status, explain and the API say about a workload. */
async function told(key: string) {
  const view = (await readWorkload(key, lookout.ports)) as WorkloadView;
  const explanation = (await explain(key, lookout.ports, new AbortController().signal))!;
  const [headline] = renderExplanation(explanation, undefined, style()).split("\n");
  expect(explanation.workload).toEqual(view);
  return {
    state: view.state,
    wants: view.wants.map(({ tag }) => tag),
    blocked: view.blocked.map(({ tag, containers, cause }) => [tag, ...containers, cause]),
    reasons: view.reasons.map(({ reason }) => reason),
    row: stateOf(view, style()).words,
    headline: headline?.replace(/^.* and wants/, "wants"),
  };
}

const failed = (tag: string) => [tag, "app", "failed here (rollout failed)"];
const fine = { state: "up-to-date", wants: [], blocked: [], reasons: [], headline: "wants no other image" };

/** Pushes an image that does not start, and lets it be rolled back. */
async function fails(tag: string): Promise<string> {
  const digest = await lookout.push("shop/api", tag, { broken: true });
  await lookout.pass(seconds(30));
  return digest;
}

async function runs(tag: string): Promise<void> {
  await lookout.push("shop/api", tag);
  await lookout.pass(seconds(30));
}

describe("a version that was rolled back", () => {
  it("is blocked in status, explain and the API until a higher version runs", async () => {
    const key = await trackApi(lookout);
    await fails("1.2.0");
    const after = { state: "blocked", wants: [], reasons: [], headline: "wants no other image: 1.2.0 is blocked" };

    expect(await told(key)).toMatchObject({
      ...after,
      blocked: [failed("1.2.0")],
      row: expect.stringMatching(/^1\.2\.0 is blocked, rolled back \d+ s ago: /) as string,
    });

    await runs("1.1.0");
    expect(lookout.image(key)).toContain(":1.1.0@");
    expect(await told(key)).toMatchObject({
      ...after,
      blocked: [failed("1.2.0")],
      row: expect.stringMatching(/^1\.2\.0 is blocked: failed here \(rollout failed\) \d+ s ago, checked /) as string,
    });

    await runs("1.3.0");
    expect(await told(key)).toMatchObject(fine);
  });

  it("is wanted no more while it is rolled back", async () => {
    const key = await trackApi(lookout);
    await lookout.push("shop/api", "1.2.0", { broken: true });
    while ((await lookout.record(key)).active?.status !== "rolling-back") await lookout.pass(seconds(0.5));

    expect(await told(key)).toMatchObject({
      state: "rolling-back",
      wants: [],
      blocked: [failed("1.2.0")],
      headline: "wants no other image: 1.2.0 is blocked",
    });
  });

  it("is shown beside an update to a lower version", async () => {
    const key = await trackApi(lookout, { "lookout.dev/suspend": "false" });
    await fails("1.2.0");
    lookout.cluster.annotate(api, { "lookout.dev/suspend": "true" });
    await lookout.push("shop/api", "1.1.0");
    await lookout.settle();

    expect(await told(key)).toMatchObject({
      state: "held",
      wants: ["1.1.0"],
      blocked: [failed("1.2.0")],
      row: expect.stringMatching(/ · 1\.2\.0 is blocked: failed here/) as string,
    });
  });

  it("is no longer shown after a person sets a higher version", async () => {
    const key = await trackApi(lookout);
    await fails("1.2.0");
    await lookout.push("shop/api", "1.3.0", { quietly: true });
    lookout.cluster.setImage(api, "app", `${host}/shop/api:1.3.0`);
    await lookout.sync();

    expect(await told(key)).toMatchObject(fine);
  });

  it("is shown with the versions below it that failed too", async () => {
    const key = await trackApi(lookout);
    await fails("1.2.0");
    await fails("1.1.0");

    expect(await told(key)).toMatchObject({
      state: "blocked",
      blocked: [failed("1.1.0"), failed("1.2.0")],
      headline: "wants no other image: 1.1.0 and 1 more are blocked",
    });
  });

  it("stays blocked while it runs, if auto-rollback is false", async () => {
    const key = await trackApi(lookout, { "lookout.dev/auto-rollback": "false" });
    await fails("1.2.0");

    expect(lookout.image(key)).toContain(":1.2.0@");
    expect(await told(key)).toMatchObject({
      state: "blocked",
      blocked: [failed("1.2.0")],
      row: expect.stringMatching(/^1\.2\.0 is blocked, failed \d+ s ago: /) as string,
    });
  });

  it.each(["latest", "regex ^main-"])("is shown under the policy %s until a later push runs", async (policy) => {
    const [kind = "", pattern] = policy.split(" ");
    const annotations = {
      "lookout.dev/policy": kind,
      ...(pattern === undefined ? {} : { "lookout.dev/tag-pattern": pattern }),
    };
    await lookout.push("shop/api", "main-a", { quietly: true });
    const key = await trackApi(lookout, annotations, { image: `${host}/shop/api:main-a` });
    await lookout.push("shop/api", "main-b", { quietly: true });
    lookout.clock.turn(seconds(5));
    await fails("main-c");
    await lookout.pass(seconds(60));
    expect(await told(key)).toMatchObject({ state: "blocked", blocked: [failed("main-c")] });

    lookout.clock.turn(seconds(5));
    await runs("main-d");
    expect(lookout.image(key)).toContain(":main-d@");
    expect(await told(key)).toMatchObject(fine);
  });

  it("is shown under the policy latest although an earlier push runs", async () => {
    await lookout.push("shop/api", "main-a", { quietly: true });
    const annotations = { "lookout.dev/policy": "latest", "lookout.dev/suspend": "true" };
    const key = await trackApi(lookout, annotations, { image: `${host}/shop/api:main-a` });
    await lookout.push("shop/api", "main-b");
    await lookout.pass(seconds(5));
    await lookout.push("shop/api", "main-c", { broken: true });
    await lookout.pass(seconds(5));
    lookout.cluster.annotate(api, { "lookout.dev/suspend": "false" });
    await lookout.sync();
    await lookout.pass(seconds(60));

    expect(lookout.image(key)).toContain(":main-b@");
    expect(await lookout.record(key)).toMatchObject({ last: { status: "succeeded" } });
    expect(await told(key)).toMatchObject({ state: "blocked", blocked: [failed("main-c")] });
  });

  it("is shown as a digest of a tag that moves, until a later digest of the tag runs", async () => {
    await lookout.push("shop/api", "main", { quietly: true });
    const key = await trackApi(lookout, { "lookout.dev/policy": "digest" }, { image: `${host}/shop/api:main` });
    await fails("main");
    expect(await told(key)).toMatchObject({ state: "blocked", blocked: [failed("main")] });

    await runs("main");
    expect(await told(key)).toMatchObject(fine);
  });
});

describe("a version that a person took off", () => {
  it("is blocked with the person's field manager", async () => {
    const key = await trackApi(lookout);
    await runs("1.2.0");
    await lookout.push("shop/api", "1.0.5", { quietly: true });
    lookout.cluster.setImage(api, "app", `${host}/shop/api:1.0.5`);
    await lookout.sync();

    expect(await told(key)).toMatchObject({
      state: "blocked",
      blocked: [["1.2.0", "app", expect.stringMatching(/^replaced by \S+ at 2026-11-21T\S+Z$/)]],
      row: expect.stringMatching(/^1\.2\.0 is blocked: replaced by \S+ \d+ s ago, checked /) as string,
    });
  });
});

describe("an unblock", () => {
  const named = (tag: string, digest: string) => ({ imageName: `${host}/shop/api`, tag, digest });

  it("of one of two digests lets only this digest be tried again", async () => {
    const key = await trackApi(lookout);
    const higher = await fails("1.2.0");
    const lower = await fails("1.1.0");
    lookout.broken.clear();

    expect(await unblockWorkload(workloadNamed(key), { by: "ana" }, lookout.ports, { digest: "1.1.0" })).toEqual({
      workload: key,
      hold: false,
      blocked: 1,
      digests: [named("1.1.0", lower)],
      rejected: 0,
      left: { hold: false, digests: [named("1.2.0", higher)] },
    });
    await lookout.pass(seconds(30));
    expect(lookout.image(key)).toContain(":1.1.0@");
    expect(await told(key)).toMatchObject({ state: "blocked", blocked: [failed("1.2.0")] });
    const { decisions } = await readDecisions(key, { limit: 100 }, lookout.ports);
    expect(decisions.filter(({ seq }) => seq === 0).map(({ fact, detail }) => [fact, detail])).toContainEqual([
      ...["DigestsUnblocked", `${host}/shop/api:1.1.0 @ ${lower}; by ana`],
    ]);
    expect(lookout.factNames(key)).not.toContain("HoldEnded");

    await unblockWorkload(workloadNamed(key), { by: "ana" }, lookout.ports, {
      digest: higher.slice(0, "sha256:".length + 12),
    });
    await lookout.pass(seconds(30));
    expect(lookout.image(key)).toContain(":1.2.0@");
    expect(await told(key)).toMatchObject(fine);
  });

  it("of the hold leaves blocked digests blocked", async () => {
    const key = await trackApi(lookout);
    const higher = await fails("1.2.0");
    await runs("1.1.0");
    lookout.cluster.undo(api);
    await lookout.sync();
    expect(await told(key)).toMatchObject({ state: "held", reasons: ["reverted-by-user"] });

    expect(await unblockWorkload(workloadNamed(key), { by: "ana" }, lookout.ports, { hold: true })).toEqual({
      workload: key,
      hold: true,
      blocked: 0,
      digests: [],
      rejected: 0,
      left: { hold: false, digests: [named("1.2.0", higher)] },
    });
  });

  it("names everything that it lets go on", async () => {
    const key = await trackApi(lookout);
    const digest = await fails("1.2.0");

    expect(await unblockWorkload(workloadNamed(key), { by: "ana" }, lookout.ports)).toEqual({
      workload: key,
      hold: false,
      blocked: 1,
      digests: [named("1.2.0", digest)],
      rejected: 0,
      left: { hold: false, digests: [] },
    });
  });

  it("of an unknown digest is refused with the blocked digests", async () => {
    const key = await trackApi(lookout);
    const ask = (digest: string) => unblockWorkload(workloadNamed(key), { by: "ana" }, lookout.ports, { digest });
    expect(await ask("1.9.9\u001b[2J")).toEqual({
      kind: "not-found",
      detail: `${key} has no blocked digest "1.9.9\ufffd[2J". It has no blocked digest.`,
    });

    const short = (await fails("1.2.0")).slice("sha256:".length, "sha256:".length + 12);
    expect(await ask("1.9.9")).toEqual({
      kind: "not-found",
      detail: `${key} has no blocked digest "1.9.9". Its blocked digests: 1.2.0 @ ${short}`,
    });
    expect((await lookout.record(key)).blocked).toHaveLength(1);
  });

  it("of a tag with two blocked digests asks for one of them", async () => {
    await lookout.push("shop/api", "main", { quietly: true });
    const key = await trackApi(lookout, { "lookout.dev/policy": "digest" }, { image: `${host}/shop/api:main` });
    const [first, second] = [await fails("main"), await fails("main")];

    expect(await unblockWorkload(workloadNamed(key), { by: "ana" }, lookout.ports, { digest: "main" })).toEqual({
      kind: "bad-name",
      detail: `"main" names several digests of ${key}. Name one: main @ ${second.slice(7, 19)}, main @ ${first.slice(7, 19)}`,
    });
  });

  it("of a digest and the hold together is refused", async () => {
    const key = await trackApi(lookout);

    expect(
      await unblockWorkload(workloadNamed(key), { by: "ana" }, lookout.ports, { digest: "1.2.0", hold: true }),
    ).toEqual({
      kind: "bad-request",
      detail: "name digest or hold, and not both: each unblocks its own part",
    });
  });
});

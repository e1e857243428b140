import { beforeEach, describe, expect, it } from "vitest";
import { stateOf } from "#cli/render/state";
import { explain } from "#app/api/explain";
import { readWorkload } from "#app/api/workloads";
import type { WorkloadView } from "#contracts/api/workloads";
import { hours, minutes, toIso, plus } from "#domain/shared/time";
import { controlOf } from "../control-of.ts";
import { host, trackApi, type World, worldWithApi } from "../world.ts";

let lookout: World;
let key: string;

const params = { cluster: "prod", namespace: "shop", kind: "deployment", name: "api" };
const person = { by: "ana", why: "checkout fails" };

const ask = () => controlOf(lookout);
const set = (version: string, container?: string) =>
  ask().setVersion({ params, body: { version, ...person, ...(container === undefined ? {} : { container }) } });
const rollback = (to?: string) => ask().rollBack({ params, body: { ...person, ...(to === undefined ? {} : { to }) } });
const skip = (body: { tag: string; until?: string; end?: true }) =>
  ask().skipTag({ params, body: { ...person, ...body } });
const suspend = () => ask().suspendWorkload({ params, body: person });
const resume = () => ask().resumeWorkload({ params, body: person });
const retry = () => ask().retryWorkload({ params, body: person });
const release = (...past: string[]) => ask().release({ body: { scope: key, past, ...person } });

async function runs(): Promise<string | undefined> {
  await lookout.pass(minutes(1));
  await lookout.sweep();
  await lookout.pass(minutes(2));
  return lookout.image(key).replace(/@.*/, "").split(":").at(-1);
}

async function row(): Promise<string> {
  const view = (await readWorkload(key, lookout.ports)) as WorkloadView;
  const style = { width: undefined, colour: false, timeZone: "UTC", wide: false, now: lookout.clock.now() };
  return stateOf(view, style).words;
}

async function updated(...tags: readonly string[]): Promise<void> {
  for (const tag of tags) {
    await lookout.push("shop/api", tag);
    expect(await runs()).toBe(tag);
  }
}

beforeEach(async () => {
  lookout = await worldWithApi();
  key = await trackApi(lookout);
});

describe("a rollback that a person requests", () => {
  it("goes back to the version before the last update, and stays there until a new tag appears", async () => {
    await updated("1.1.0", "1.2.0");

    expect(await rollback()).toMatchObject({ changed: true, update: { seq: 3, status: "released" }, reasons: [] });
    expect(await runs()).toBe("1.1.0");
    expect((await lookout.record(key)).blocked).toMatchObject([
      { tag: "1.2.0", reason: "rollback-requested", by: expect.stringContaining("ana") as string },
    ]);
    expect(await row()).toContain("keeps a requested version: rolled back to 1.1.0 by ana: checkout fails");
    const explained = await explain(key, lookout.ports, new AbortController().signal);
    expect(explained?.selections).toMatchObject([
      { tag: "1.1.0", kept: { as: "rollback", ...person, newest: "1.2.0" } },
    ]);
    await lookout.push("shop/api", "1.3.0");
    expect(await runs()).toBe("1.3.0");
    expect((await lookout.record(key)).kept).toBeUndefined();
  });

  it("stays although another tag above it existed then", async () => {
    await updated("1.1.0");
    await lookout.push("shop/api", "1.4.0", { broken: true });
    await lookout.push("shop/api", "1.3.0", { quietly: true });
    await rollback("1.0.0");

    expect(await runs()).toBe("1.0.0");
    await ask().resumeWorkload({ params, body: person });
    expect(await runs()).toBe("1.3.0");
  });

  it("ends when a fix of the version appears, although the version that it left is higher", async () => {
    await updated("1.1.0", "1.2.0", "1.3.0");
    await rollback();
    expect(await runs()).toBe("1.2.0");
    const explained = await explain(key, lookout.ports, new AbortController().signal);
    expect(explained?.selections).toMatchObject([{ kept: { newest: "1.3.0", left: ["1.3.0"] } }]);

    await updated("1.2.1", "1.3.1");
    expect((await lookout.record(key)).kept).toBeUndefined();
  });

  it("of a rollout stops it at once, and brings back what ran", async () => {
    await updated("1.1.0");
    await lookout.push("shop/api", "1.2.0");
    await lookout.settle();
    expect((await lookout.record(key)).active?.status).toBe("rolling-out");

    expect(await rollback()).toMatchObject({ changed: true, update: { seq: 2, status: "rolling-back" } });
    expect(await runs()).toBe("1.1.0");
    expect((await lookout.record(key)).last).toMatchObject({ status: "rolled-back", reason: "rollback-requested" });
  });

  it.each([
    { gate: "a closed window", annotations: { "lookout.dev/maintenance-window": "02:00-03:00" } },
    { gate: "a needed approval", annotations: { "lookout.dev/approval-required": "true" } },
    { gate: "a minimum age", annotations: { "lookout.dev/min-age": "90d" } },
    { gate: "a suspension", annotations: { "lookout.dev/suspend": "true" } },
    { gate: "an invalid annotation", annotations: { "lookout.dev/min-age": "soon" } },
  ])("passes $gate", async ({ annotations }) => {
    await updated("1.1.0");
    lookout.cluster.annotate({ namespace: "shop", kind: "Deployment", name: "api" }, annotations);
    await lookout.sync();
    await lookout.settle();

    await rollback("1.0.0");

    expect(await runs()).toBe("1.0.0");
  });

  it("passes a freeze, which holds every other update", async () => {
    await updated("1.1.0");
    await lookout.ports.freezes.put({ scope: {}, by: "ben", why: "sale", at: lookout.clock.now() });

    await rollback();

    expect(await runs()).toBe("1.0.0");
    await lookout.push("shop/api", "1.2.0");
    expect(await runs()).toBe("1.0.0");
  });

  it("to a quarantined, a blocked or an unknown version is refused with what is possible", async () => {
    await updated("1.1.0", "1.2.0");
    const digest = (await lookout.record(key)).landed?.changes[0]?.fromDigest ?? "";
    await lookout.ports.quarantine.add({ digest, by: "ben", why: "CVE", at: lookout.clock.now() });

    expect(await rollback()).toMatchObject({
      kind: "version-refused",
      detail: expect.stringContaining("lookout quarantine lift") as string,
    });
    expect(await rollback("1.1.1")).toEqual({
      kind: "not-found",
      detail: `the registry has no tag "1.1.1" of ${host}/shop/api; did you mean 1.1.0?`,
    });
    await lookout.ports.quarantine.lift(digest);
    await rollback();
    expect(await runs()).toBe("1.1.0");
    expect(await rollback()).toMatchObject({
      kind: "version-refused",
      detail: expect.stringContaining("so it is blocked here. First: lookout unblock") as string,
    });
  });

  it("without an update of Lookout needs a version", async () => {
    expect(await rollback()).toMatchObject({
      kind: "not-found",
      detail: expect.stringContaining("--to VERSION") as string,
    });
  });

  it("works while the registry gives no answer", async () => {
    await updated("1.1.0");
    Object.assign(lookout.ports.registry, {
      tags: () => Promise.resolve({ kind: "unreachable", detail: "down", isOutage: true }),
      resolve: () => Promise.resolve({ kind: "unreachable", detail: "down", isOutage: true }),
      manifest: () => Promise.resolve({ kind: "unreachable", detail: "down", isOutage: true }),
    });

    await rollback();

    expect(await runs()).toBe("1.0.0");
  });
});

describe("a version that a person sets", () => {
  it("may be lower, and stays until a new tag appears", async () => {
    await updated("1.1.0", "1.2.0");
    await set("1.0.0");

    expect(await runs()).toBe("1.0.0");
    expect(await row()).toBe("keeps a requested version: set to 1.0.0 by ana: checkout fails · 1.2.0 is available");
    await updated("1.3.0");
  });

  it("ends when a fix of it appears, although a higher tag existed; the higher tag stays left until resume", async () => {
    await updated("1.1.0", "1.2.0", "1.3.0");
    await set("1.2.0");
    expect(await runs()).toBe("1.2.0");

    await updated("1.2.1");
    expect(await runs()).toBe("1.2.1");
    expect((await lookout.record(key)).kept).toBeUndefined();
    expect(await row()).toContain("1 newer tag skipped: left for a requested version");
    const explained = await explain(key, lookout.ports, new AbortController().signal);
    expect(explained?.selections).toMatchObject([
      {
        tag: "1.2.1",
        rejected: expect.arrayContaining([
          { tag: "1.3.0", reason: "left-by-person", detail: "ana: checkout fails" },
        ]) as unknown,
      },
    ]);
    expect(await resume()).toMatchObject({ detail: "Ended: the skip of the tags that it left. Its updates go on." });
    expect(await runs()).toBe("1.3.0");
  });

  it("ends when a fix of it appears, and the tags that it left are followed by higher ones", async () => {
    await updated("1.1.0", "1.2.0", "1.3.0");
    await set("1.1.0");
    expect(await runs()).toBe("1.1.0");
    await updated("1.1.1", "1.4.0");
  });

  it("ends when a fix of it appears, and the highest tag that it left comes back once it moved", async () => {
    await updated("1.1.0", "1.2.0", "1.3.0");
    await set("1.1.0");
    expect(await runs()).toBe("1.1.0");
    await updated("1.1.1", "1.3.0");
  });

  it("stays when a tag appears that is lower than it", async () => {
    await updated("1.1.0", "1.2.0");
    await set("1.1.0");
    expect(await runs()).toBe("1.1.0");
    await lookout.push("shop/api", "1.0.1");

    expect(await runs()).toBe("1.1.0");
    expect((await lookout.record(key)).kept).toMatchObject([{ tag: "1.1.0" }]);
  });

  it("is followed by a fix only if at most 50 tags above it existed", async () => {
    for (const tag of Array.from({ length: 51 }, (_, at) => `2.${at}.0`))
      await lookout.push("shop/api", tag, { quietly: true });
    await set("1.0.0");
    expect((await lookout.record(key)).left).toBeUndefined();
    await lookout.push("shop/api", "1.0.1");

    expect(await runs()).toBe("1.0.0");
    expect((await explain(key, lookout.ports, new AbortController().signal))?.selections[0]?.kept).toEqual({
      as: "set",
      ...person,
      at: expect.any(String) as string,
      newest: "2.50.0",
    });
    await updated("2.51.0");
  });

  it("passes all gates as any update", async () => {
    lookout.cluster.annotate(
      { namespace: "shop", kind: "Deployment", name: "api" },
      { "lookout.dev/maintenance-window": "02:00-03:00" },
    );
    await lookout.sync();
    await lookout.push("shop/api", "1.1.0");
    await lookout.settle();

    expect(await set("1.1.0")).toMatchObject({ update: { status: "held" }, reasons: [{ reason: "window-closed" }] });
    expect(await runs()).toBe("1.0.0");
    expect(await release("window")).toMatchObject({ released: [{ workload: key, stillHeldBy: [] }] });
    expect(await runs()).toBe("1.1.0");
  });

  it("that runs already is kept, and ends an update that waits", async () => {
    await suspend();
    await lookout.push("shop/api", "1.1.0");
    await lookout.settle();
    expect((await lookout.record(key)).pending).toBeDefined();
    await set("1.0.0");
    await resumeOnlySuspension();

    expect(await runs()).toBe("1.0.0");
    expect((await lookout.record(key)).last).toMatchObject({ status: "superseded", reason: "version-requested" });
  });

  it("is followed by a moved tag only if it moved afterwards", async () => {
    await updated("1.1.0");
    await set("1.0.0");
    expect(await runs()).toBe("1.0.0");
    await lookout.push("shop/api", "1.1.0");

    expect(await runs()).toBe("1.1.0");
  });

  it.each([
    { version: "2.0.0", says: `the registry has no tag "2.0.0" of ${host}/shop/api; did you mean 1.0.0?` },
    {
      version: `sha256:${"a".repeat(64)}`,
      says: `Lookout knows no tag of ${host}/shop/api with the digest aaaaaaaaaaaa. Name the tag instead`,
    },
  ])("of $version is refused", async ({ version, says }) => {
    expect(await set(version)).toEqual({ kind: "not-found", detail: says });
  });

  it("may be named by its digest", async () => {
    await updated("1.1.0", "1.2.0");
    const digest = (await lookout.record(key)).landed?.changes[0]?.fromDigest ?? "";
    await set(digest.slice(7, 20));

    expect(await runs()).toBe("1.1.0");
  });

  it("of an unknown container names the containers", async () => {
    expect(await set("1.0.0", "apx")).toEqual({
      kind: "not-found",
      detail: `${key} has no tracked container "apx"; did you mean app? Its containers: app`,
    });
  });
});

/** Ends the suspension, as the sweep of another person would, and not the kept version. */
async function resumeOnlySuspension(): Promise<void> {
  const { suspension: _, ...record } = await lookout.record(key);
  await lookout.ports.store.write({ ...record, version: record.version + 1 });
}

describe("a skipped tag", () => {
  it("is not selected until its time has passed, and a lower tag is", async () => {
    await lookout.push("shop/api", "1.2.0", { quietly: true });
    await lookout.push("shop/api", "1.1.0", { quietly: true });
    await skip({ tag: "1.2.0", until: toIso(plus(lookout.clock.now(), hours(1))) });

    expect(await runs()).toBe("1.1.0");
    expect(await row()).toContain("1 newer tag skipped: a person skips them");
    await lookout.pass(hours(1));
    expect(await runs()).toBe("1.2.0");
    expect((await lookout.record(key)).skips).toBeUndefined();
  });

  it("ends by a person, and an unknown one is refused", async () => {
    await skip({ tag: "1.2.0" });
    await lookout.push("shop/api", "1.2.0");
    expect(await runs()).toBe("1.0.0");
    expect(await skip({ tag: "1.1.0", end: true })).toEqual({
      kind: "not-found",
      detail: `${key} does not skip the tag 1.1.0. It skips 1.2.0.`,
    });
    expect(await skip({ tag: "1.2.0", until: "2020-01-01T00:00:00Z" })).toMatchObject({ kind: "bad-end" });
    await skip({ tag: "1.2.0", end: true });

    expect(await runs()).toBe("1.2.0");
  });
});

describe("a suspension", () => {
  it("holds every update with the person and the reason, until it is resumed", async () => {
    expect(await suspend()).toMatchObject({ changed: true });
    expect(await suspend()).toMatchObject({ changed: false });
    await lookout.push("shop/api", "1.1.0");

    expect(await runs()).toBe("1.0.0");
    const gates = (await explain(key, lookout.ports, new AbortController().signal))?.gates;
    expect(gates?.filter(({ open }) => !open)).toMatchObject([
      { gate: "suspension", why: { reason: "suspended-by-person", detail: "ana: checkout fails" } },
    ]);
    expect(await resume()).toMatchObject({ changed: true });
    expect(await resume()).toMatchObject({ changed: false, detail: "Nothing stopped its updates." });
    expect(await runs()).toBe("1.1.0");
  });
});

describe("a retry", () => {
  it("tries a failed digest again, and leaves what people blocked", async () => {
    await updated("1.1.0");
    const digest = await lookout.push("shop/api", "1.2.0", { broken: true });
    await lookout.pass(minutes(15));
    expect((await lookout.record(key)).blocked).toMatchObject([{ tag: "1.2.0" }]);
    lookout.broken.delete(digest);

    await retry();

    expect(await runs()).toBe("1.2.0");
    await rollback();
    expect(await runs()).toBe("1.1.0");
    await retry();
    expect(await runs()).toBe("1.1.0");
  });
});

describe("a release past gates", () => {
  it.each(["freeze", "quarantine", "approval", "budget", "block", "hold"])(
    "past %s is refused with what helps",
    async (gate) => {
      expect(await release(gate)).toMatchObject({
        kind: "not-releasable",
        detail: expect.stringMatching(/^no release passes \w+\. .*lookout/) as string,
      });
    },
  );

  it("of an update that a freeze holds too is refused", async () => {
    lookout.cluster.annotate(
      { namespace: "shop", kind: "Deployment", name: "api" },
      { "lookout.dev/maintenance-window": "02:00-03:00" },
    );
    await lookout.sync();
    await lookout.ports.freezes.put({ scope: {}, by: "ben", why: "sale", at: lookout.clock.now() });
    await lookout.push("shop/api", "1.1.0");
    await lookout.settle();

    expect(await release("window")).toEqual({
      kind: "not-releasable",
      detail: `${key}: A freeze covers this workload. No release passes it. End the freeze: lookout unfreeze SCOPE.`,
    });
  });

  it("holds for the present digests only", async () => {
    lookout.cluster.annotate(
      { namespace: "shop", kind: "Deployment", name: "api" },
      { "lookout.dev/maintenance-window": "02:00-03:00", "lookout.dev/approval-required": "true" },
    );
    await lookout.sync();
    await lookout.push("shop/api", "1.1.0");
    await lookout.settle();
    expect(await release("window")).toMatchObject({ released: [{ stillHeldBy: [{ reason: "needs-approval" }] }] });
    await lookout.push("shop/api", "1.2.0");
    await lookout.pass(minutes(1));

    expect((await lookout.record(key)).pending?.waits.map(({ reason }) => reason)).toEqual([
      "needs-approval",
      "window-closed",
    ]);
  });

  it("past a minimum age patches the young image", async () => {
    lookout.cluster.annotate({ namespace: "shop", kind: "Deployment", name: "api" }, { "lookout.dev/min-age": "1d" });
    await lookout.sync();
    await lookout.push("shop/api", "1.1.0");
    expect(await runs()).toBe("1.0.0");
    await release("min-age");

    expect(await runs()).toBe("1.1.0");
  });

  it("of nothing that waits says what holds now", async () => {
    expect(await release("window")).toEqual({
      kind: "not-found",
      detail: `window holds no update in ${key}. No update is held there`,
    });
  });
});

describe("lookout.dev/rollback-to", () => {
  const target = (tag: string) => {
    lookout.cluster.annotate(
      { namespace: "shop", kind: "Deployment", name: "api" },
      { "lookout.dev/rollback-to": tag },
    );
    return lookout.sync();
  };

  it("names the version to which a failed update returns, and at which the workload stays", async () => {
    await updated("1.1.0");
    await target("1.0.0");
    await lookout.push("shop/api", "1.2.0", { broken: true });
    await lookout.pass(minutes(15));

    expect(await runs()).toBe("1.0.0");
    expect((await lookout.record(key)).last).toMatchObject({ seq: 2, status: "rolled-back" });
    expect(await row()).toContain("rolled back to 1.0.0 by lookout.dev/rollback-to");
    await updated("1.3.0");
  });

  it("that the registry does not have lets no update start", async () => {
    await target("0.9.0");
    await lookout.push("shop/api", "1.1.0");

    expect(await runs()).toBe("1.0.0");
    expect(await row()).toContain("the target of a rollback is missing");
    await lookout.push("shop/api", "0.9.0", { quietly: true });
    expect(await runs()).toBe("1.1.0");
  });

  it("is not where a person's rollback goes", async () => {
    await updated("1.1.0");
    await target("1.0.0");
    await lookout.push("shop/api", "1.2.0");
    await lookout.settle();
    await rollback();

    expect(await runs()).toBe("1.1.0");
  });
});

describe("what histories found", () => {
  const api = { namespace: "shop", kind: "Deployment", name: "api" } as const;
  const annotate = async (annotations: Readonly<Record<string, string>>) => {
    lookout.cluster.annotate(api, annotations);
    await lookout.sync();
    await lookout.settle();
  };

  it("a set version replaces another digest of its tag (seed 78)", async () => {
    const before = (await lookout.record(key)).observed.containers[0];
    const digest = await lookout.push("shop/api", "1.0.0", { quietly: true });
    lookout.cluster.setImage(api, "app", `${host}/shop/api:1.0.0@${before?.digest ?? ""}`);
    await lookout.sync();
    await lookout.settle();
    await set("1.0.0");
    await runs();

    expect(lookout.image(key)).toContain(digest);
  });

  it("a return to lookout.dev/rollback-to blocks only the failed digest (seed 202)", async () => {
    await updated("1.1.0");
    await annotate({ "lookout.dev/rollback-to": "1.0.0" });
    await lookout.push("shop/api", "1.2.0", { broken: true });
    await lookout.pass(minutes(15));

    expect((await lookout.record(key)).blocked.map(({ tag }) => tag)).toEqual(["1.2.0"]);
  });

  it.each([
    { seed: 801, what: "a rollback", request: () => rollback("1.0.0") },
    { seed: 20891, what: "a set version", request: () => set("1.0.0") },
    { seed: 22061, what: "a skip", request: () => skip({ tag: "1.1.0" }) },
  ])("an update whose patch got lost is not sent again after $what (seed $seed)", async ({ request }) => {
    lookout.cluster.failNext({ kind: "unknown", detail: "timeout" });
    await lookout.push("shop/api", "1.1.0");
    await lookout.settle();
    expect((await lookout.record(key)).active?.status).toBe("patching");
    await request();
    await lookout.pass(minutes(5));

    expect(await runs()).toBe("1.0.0");
    expect((await lookout.record(key)).active).toBeUndefined();
    expect(lookout.cluster.history.filter(({ what }) => what.includes("1.1.0"))).toEqual([]);
  });

  it("a rollback does not wait for the target of a further rollback (seed 3178)", async () => {
    await updated("1.1.0");
    await annotate({ "lookout.dev/rollback-to": "9.9.9" });
    await rollback();

    expect(await runs()).toBe("1.0.0");
  });

  it("a set version that nobody has seen is old enough after its minimum age (seed 2110)", async () => {
    await annotate({ "lookout.dev/policy": "digest", "lookout.dev/min-age": "20m" });
    await lookout.push("shop/api", "1.0.5", { quietly: true });
    await set("1.0.5");
    expect(await runs()).toBe("1.0.0");
    await lookout.pass(minutes(20));

    expect(await runs()).toBe("1.0.5");
  });

  it("a rollback passes an earlier limit of pulls (seed 96)", async () => {
    await updated("1.1.0");
    const { version, ...record } = await lookout.record(key);
    const { imageName, fromDigest: digest = "" } = record.landed?.changes[0] ?? ({} as never);
    const limited = [
      { imageName, digest, tag: "1.0.0", reason: "pull-limited", times: 1, until: plus(lookout.clock.now(), hours(1)) },
    ];
    await lookout.ports.store.write({ ...record, version: version + 1, limited } as never);
    await rollback();

    expect(await runs()).toBe("1.0.0");
  });
});

describe("each request", () => {
  it("leaves one transition with the person and the reason", async () => {
    await updated("1.1.0");
    await suspend();
    await resume();
    await skip({ tag: "9.9.9" });
    await skip({ tag: "9.9.9", end: true });
    await set("1.0.0");
    await runs();
    expect(await rollback("1.1.0")).toMatchObject({ changed: true });
    await retry();
    await lookout.settle();
    const rows = await lookout.ports.ledger.read(key, 1000);
    const actions = rows.flatMap(({ transition }) => transition.action ?? []).toReversed();

    expect(actions).toEqual(
      ["suspend", "resume", "skip", "end-skip", "set", "rollback", "retry"].map((what) => ({ what, ...person })),
    );
  });
});

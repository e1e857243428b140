import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { explain } from "#app/api/explain";
import { releaseUpdates } from "#app/api/releases";
import { readDecisions, readWorkload } from "#app/api/workloads";
import type { Served } from "#app/api/handler";
import type { ReleaseView } from "#contracts/api/control";
import { stateOf } from "#cli/render/state";
import type { WorkloadView } from "#contracts/api/workloads";
import type { ObserveRules } from "#domain/gates/observe";
import { minutes, seconds } from "#domain/shared/time";
import { api, host, trackApi, type World, worldWithApi } from "../world.ts";

let lookout: World;

beforeEach(async () => {
  lookout = await worldWithApi();
});

/** Starts Lookout again with other rules. */
function setMode(given: Partial<ObserveRules>): void {
  Object.assign(lookout.ports.rules, { observe: { clusters: [], observe: [], ...given } });
}
const observe = () => setMode({ mode: "observe" });
const update = () => setMode({});

/** Asks the API for a release as ana. */
async function release(scope: string, dryRun = false): Promise<unknown> {
  const id = randomUUID();
  const served = {
    id,
    ports: lookout.ports,
    by: (claimed: string) => claimed,
    credential: { kind: "none" },
  } as never as Served;
  return releaseUpdates({ scope, past: ["observe"], by: "ana", dryRun }, served);
}

const generationOf = (): unknown => lookout.cluster.object(api)?.metadata;
const annotationsOf = (): Readonly<Record<string, string>> => lookout.cluster.object(api)?.metadata.annotations ?? {};

async function row(key: string): Promise<string> {
  const view = (await readWorkload(key, lookout.ports)) as WorkloadView;
  const style = { width: undefined, colour: false, timeZone: "UTC", wide: false, now: lookout.clock.now() };
  return stateOf(view, style).words;
}

describe("an observation", () => {
  it("decides, shows and records every update, and writes nothing", async () => {
    const key = await trackApi(lookout);
    observe();
    const before = generationOf();
    await lookout.push("shop/api", "1.1.0");
    await lookout.push("shop/api", "1.2.0");
    await lookout.pass(minutes(10));

    expect(generationOf()).toEqual(before);
    expect((await lookout.record(key)).pending).toMatchObject({ waits: [{ reason: "observe" }], observed: true });
    expect(await row(key)).toBe("would update 1.0.0 → 1.2.0 (observe)");
    const gates = (await explain(key, lookout.ports, new AbortController().signal))?.gates;
    expect(gates?.filter(({ open }) => !open)).toMatchObject([
      {
        gate: "observe",
        why: { remedy: expect.stringContaining("lookout release --past observe WORKLOAD") as string },
      },
    ]);
    expect(await lookout.ports.store.slots("prod")).toEqual([]);
  });

  it("asks nobody for approval, and asks after it has ended", async () => {
    const key = await trackApi(lookout, { "lookout.dev/approval-required": "true" });
    observe();
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(1));
    expect(await row(key)).toBe("would update 1.0.0 → 1.1.0 (observe) · it would ask for approval");
    expect(lookout.factNames(key)).not.toContain("ApprovalRequested");
    expect(await lookout.ports.store.awaitingApproval("prod")).toEqual([]);
    expect(Object.keys(annotationsOf()).filter((name) => name.includes("status."))).toEqual([]);

    update();
    await release(key);
    await lookout.pass(minutes(1));
    expect(lookout.factNames(key)).toContain("ApprovalRequested");
    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0`);
  });

  it("that begins between a release and its patch stops the patch, and keeps the update held", async () => {
    const key = await trackApi(lookout);
    await lookout.push("shop/api", "1.1.0");
    observe();
    await lookout.pass(minutes(1));

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0`);
    expect((await lookout.record(key)).pending).toMatchObject({ waits: [{ reason: "observe" }], observed: true });
    expect(await lookout.ports.store.slots("prod")).toEqual([]);
  });

  it("that begins during a rollout rolls nothing back", async () => {
    const key = await trackApi(lookout);
    const digest = await lookout.push("shop/api", "1.1.0", { broken: true });
    await lookout.settle();
    expect(lookout.image(key)).toBe(`${host}/shop/api:1.1.0@${digest}`);
    observe();
    const before = generationOf();
    await lookout.pass(minutes(10));

    expect(generationOf()).toEqual(before);
    expect((await lookout.record(key)).last).toMatchObject({ status: "failed", seq: 1 });
  });
});

describe("the end of an observation", () => {
  beforeEach(observe);

  it("patches nothing until the release, which names its person in the history", async () => {
    const key = await trackApi(lookout);
    const digest = await lookout.push("shop/api", "1.1.0");
    await lookout.settle();
    update();
    await lookout.sync();
    await lookout.sweep();
    await lookout.pass(minutes(60 * 24));
    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0`);
    expect(await row(key)).toBe("would update 1.0.0 → 1.1.0 (observe) · no longer observed: lookout release");

    const wants = [expect.objectContaining({ tag: "1.1.0", digest })];
    const view = { scope: "prod/shop", past: ["observe"], released: [{ workload: key, seq: 1, wants }], observed: [] };
    expect(await release("prod/shop", true)).toMatchObject({ ...view, dryRun: true });
    expect(await release("prod/shop")).toMatchObject({ ...view, dryRun: false });
    await lookout.pass(seconds(30));
    expect(lookout.image(key)).toBe(`${host}/shop/api:1.1.0@${digest}`);
    const { decisions } = await readDecisions(key, { limit: 100 }, lookout.ports);
    expect(decisions.find(({ fact }) => fact === "HoldEnded")).toMatchObject({
      seq: 1,
      detail: "released past observe; by ana",
    });
  });

  it("lets a later push update at once", async () => {
    const key = await trackApi(lookout);
    await lookout.push("shop/api", "1.1.0");
    await lookout.settle();
    update();
    const digest = await lookout.push("shop/api", "1.2.0");
    await lookout.pass(seconds(30));

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.2.0@${digest}`);
  });

  it("keeps another tag of the observed digest held", async () => {
    const key = await trackApi(lookout);
    await lookout.push("shop/api", "1.1.0");
    await lookout.settle();
    update();
    const { pending } = await lookout.record(key);
    lookout.registry.moveTag(host, "shop/api", "1.2.0", pending?.changes[0]?.digest ?? "");
    await lookout.sweep();
    await lookout.pass(seconds(30));

    expect((await lookout.record(key)).pending).toMatchObject({ changes: [{ tag: "1.2.0" }], observed: true });
    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0`);
  });
});

describe("a release", () => {
  beforeEach(observe);

  it("is refused while Lookout still observes, and for names without a held update", async () => {
    const key = await trackApi(lookout);
    await lookout.push("shop/api", "1.1.0");
    await lookout.settle();
    const still = {
      kind: "still-observes",
      detail: expect.stringMatching(/^Lookout still observes .*: first remove it from lookout\.yaml/) as string,
    };
    expect(await release(key)).toEqual(still);
    expect(await release("*")).toEqual(still);
    update();

    expect(await release("lab")).toEqual({ kind: "not-found", detail: "no cluster is called lab" });
    expect(await release("prod/pay")).toEqual({ kind: "not-found", detail: "observe holds no update in prod/pay" });
    expect(await release("prod/shop/deployment/nobody")).toEqual({
      kind: "not-found",
      detail: "prod/shop/deployment/nobody is not tracked",
    });
    expect(await release("prod/shop/api")).toMatchObject({ kind: "bad-scope" });
    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0`);
  });

  it("that comes twice at once releases each update once", async () => {
    const key = await trackApi(lookout);
    await lookout.push("shop/api", "1.1.0");
    await lookout.settle();
    update();
    const answers = (await Promise.all([release("*"), release("*")])) as readonly object[];

    expect(answers.flatMap((answer) => ("released" in answer ? (answer as ReleaseView).released : []))).toHaveLength(1);
    await lookout.pass(seconds(30));
    expect(lookout.factNames(key).filter((name) => name === "HoldEnded")).toHaveLength(1);
    expect(await release("*")).toEqual({ kind: "not-found", detail: "observe holds no update in *" });
  });

  it("of a cluster leaves the namespaces that Lookout still observes", async () => {
    const key = await trackApi(lookout);
    const pay = lookout.deploy({ namespace: "pay", name: "web", image: `${host}/shop/api:1.0.0` });
    await lookout.sync();
    await lookout.push("shop/api", "1.1.0");
    await lookout.settle();
    setMode({ observe: ["pay"] });

    expect(await release("prod")).toMatchObject({ released: [{ workload: key }], observed: [pay] });
    await lookout.pass(seconds(30));
    expect([lookout.image(key), lookout.image(pay)].map((image) => image.replace(/@.*$/, ""))).toEqual([
      `${host}/shop/api:1.1.0`,
      `${host}/shop/api:1.0.0`,
    ]);
  });
});

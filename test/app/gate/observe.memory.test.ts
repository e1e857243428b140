import { beforeEach, describe, expect, it } from "vitest";
import { explain } from "#app/api/explain";
import { freeze, unfreeze } from "#app/api/freezes";
import { releaseUpdates } from "#app/api/releases";
import type { ObserveRules } from "#domain/gates/observe";
import { minutes } from "#domain/shared/time";
import { observeNotices } from "#runtime/local/observe-notice";
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

async function lookAgain(): Promise<void> {
  await lookout.sync();
  await lookout.sweep();
  await lookout.pass(minutes(5));
}

async function annotate(annotations: Readonly<Record<string, string | undefined>>): Promise<void> {
  lookout.cluster.annotate(api, annotations);
  await lookAgain();
}

async function release(scope: string): Promise<unknown> {
  const served = { id: "r", ports: lookout.ports, by: (claimed: string) => claimed, credential: { kind: "none" } };
  return releaseUpdates({ scope, past: ["observe"], by: "ana" }, served as never);
}

/** Returns the tag that the workload runs, and the tag and reasons of its held update. */
async function shown(key: string): Promise<unknown> {
  const { pending } = await lookout.record(key);
  const runs = lookout.image(key).replace(`${host}/shop/api:`, "").replace(/@.*/, "");
  return [runs, pending?.changes.map(({ tag }) => tag).join(), pending?.waits.map(({ reason }) => reason).join()];
}

describe("an observed digest stays held after the observation", () => {
  let key: string;

  beforeEach(async () => {
    key = await trackApi(lookout);
    observe();
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(1));
  });

  /** Expects that the digest is held, and that a release patches it. */
  async function expectHeldUntilReleased(): Promise<void> {
    expect(await shown(key)).toEqual(["1.0.0", "1.1.0", "observe"]);
    await release(key);
    await lookout.pass(minutes(1));
    expect(await shown(key)).toEqual(["1.1.0", undefined, undefined]);
    expect(await lookout.record(key)).not.toHaveProperty("unreleased");
  }

  it("when the newer observed tag is deleted", async () => {
    await lookout.push("shop/api", "1.2.0");
    await lookout.pass(minutes(1));
    update();
    expect(await shown(key)).toEqual(["1.0.0", "1.2.0", "observe"]);
    lookout.registry.deleteTag(host, "shop/api", "1.2.0");
    await lookAgain();

    await expectHeldUntilReleased();
  });

  it("when a newer push fails and rolls back", async () => {
    update();
    await lookout.push("shop/api", "1.2.0", { broken: true });
    await lookout.pass(minutes(40));
    expect((await lookout.record(key)).last).toMatchObject({ seq: 2, status: "rolled-back" });

    await expectHeldUntilReleased();
  });

  it("when an annotation excludes its tag for a while", async () => {
    update();
    await annotate({ "lookout.dev/semver-range": "<1.1" });
    expect(await shown(key)).toEqual(["1.0.0", undefined, undefined]);
    await annotate({ "lookout.dev/semver-range": undefined });

    await expectHeldUntilReleased();
  });

  it("when the workload is disabled for a while", async () => {
    update();
    await annotate({ "lookout.dev/enabled": "false" });
    expect(await shown(key)).toEqual(["1.0.0", undefined, undefined]);
    await annotate({ "lookout.dev/enabled": "true" });

    await expectHeldUntilReleased();
  });

  it("when the object is created again", async () => {
    update();
    lookout.cluster.remove(api);
    lookout.deploy({ namespace: "shop", name: "api", image: `${host}/shop/api:1.0.0` });
    await lookAgain();

    await expectHeldUntilReleased();
  });

  it("and a release of the newest releases the older ones too", async () => {
    await lookout.push("shop/api", "1.2.0", { broken: true });
    await lookout.pass(minutes(1));
    update();
    await release(key);
    await lookout.pass(minutes(40));

    expect(await shown(key)).toEqual(["1.1.0", undefined, undefined]);
  });

  it("also if an earlier Lookout stored the held update alone", async () => {
    update();
    const { unreleased: _, ...stored } = await lookout.record(key);
    expect(stored.pending).toMatchObject({ observed: true });
    await lookout.ports.store.write({ ...stored, version: stored.version + 1 });
    expect(await lookout.record(key)).not.toHaveProperty("unreleased");
    await lookout.push("shop/api", "1.2.0", { broken: true });
    await lookout.pass(minutes(40));

    await expectHeldUntilReleased();
  });
});

describe("an observation", () => {
  it("keeps an update held that another gate held before it began and lets go after it ended", async () => {
    const key = await trackApi(lookout);
    await freeze({ scope: {}, why: "Christmas", by: "ops" }, lookout.ports);
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(1));
    observe();
    await lookout.sync();
    await lookout.pass(minutes(1));
    update();
    await lookout.sync();
    await unfreeze({}, lookout.ports);
    await lookout.pass(minutes(5));

    expect(await shown(key)).toEqual(["1.0.0", "1.1.0", "observe"]);
  });

  it("tells a workload without an update how to stop it, and of no release", async () => {
    const key = await trackApi(lookout);
    observe();

    const gates = (await explain(key, lookout.ports, new AbortController().signal))?.gates;
    expect(gates?.filter(({ open }) => !open).map(({ gate, why }) => [gate, why?.remedy])).toEqual([
      ["observe", "Stop observing: remove mode: observe, or lookout start --observe (on AWS, deploy again)."],
    ]);
  });

  it("warns at the start of a namespace that covers no known workload", async () => {
    setMode({ observe: ["shpo-*"] });
    expect(await observeNotices(lookout.ports)).toHaveLength(1);
    await trackApi(lookout);

    expect((await observeNotices(lookout.ports)).at(-1)).toBe(
      "observe: shpo-* covers no known workload. Check its spelling: lookout status",
    );
    setMode({ observe: ["shop*"] });
    expect(await observeNotices(lookout.ports)).toHaveLength(1);
  });
});

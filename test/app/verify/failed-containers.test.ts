import { beforeEach, describe, expect, it } from "vitest";
import { hours, minutes, seconds } from "#domain/shared/time";
import { api, host, trackApi, type World, worldWithApi } from "../world.ts";

let lookout: World;
let key: string;
beforeEach(async () => {
  lookout = await worldWithApi();
  await lookout.push("shop/side", "4.0.0", { quietly: true });
});

const images = (): readonly string[] => {
  const spec = lookout.cluster.object({ namespace: "shop", kind: "Deployment", name: "api" })?.spec;
  return spec?.template?.spec.containers.map(({ image }) => image) ?? [];
};
const started = () => lookout.factNames(key).filter((name) => name === "RolloutStarted").length;

/** Updates both containers at once, and waits until it is over. */
async function updateBoth(
  how: { readonly app?: object } = {},
): Promise<{ readonly app: string; readonly side: string }> {
  const suspended = { "lookout.dev/suspend": "true" };
  key = await trackApi(lookout, suspended, { more: { side: `${host}/shop/side:4.0.0` } });
  const app = await lookout.push("shop/api", "1.1.0", how.app);
  const side = await lookout.push("shop/side", "4.1.0", { broken: true });
  await lookout.settle();
  lookout.cluster.annotate(api, { "lookout.dev/suspend": undefined });
  await lookout.sync();
  await lookout.pass(minutes(30));
  return { app, side };
}

describe("an update of two containers of which one fails", () => {
  it("rolls both back, blocks the failed one, and updates the other alone", async () => {
    const { side } = await updateBoth();
    const record = await lookout.record(key);

    expect(record.blocked.map(({ digest }) => digest)).toEqual([side]);
    expect(record.last).toMatchObject({ status: "succeeded", changes: [{ name: "app", tag: "1.1.0" }] });
    expect(images()).toEqual([expect.stringContaining("shop/api:1.1.0@"), `${host}/shop/side:4.0.0`]);
    expect(lookout.factNames(key).filter((name) => name === "RolledBack")).toHaveLength(1);
  });

  it("begins no further update", async () => {
    await updateBoth();
    const before = started();
    for (let hour = 0; hour < 3; hour += 1) {
      await lookout.sweep();
      await lookout.sync();
      await lookout.pass(hours(1));
    }

    expect(started()).toBe(before);
  });

  it("ends when the others fail alone, too", async () => {
    const { app, side } = await updateBoth({ app: { crashes: true } });

    expect((await lookout.record(key)).blocked.map(({ digest }) => digest).sort()).toEqual([app, side].sort());
    expect(started()).toBe(2);
    expect(images()).toEqual([`${host}/shop/api:1.0.0`, `${host}/shop/side:4.0.0`]);
  });
});

describe("an update of two containers that belong together", () => {
  it("parts them not, and waits for a tag that both can run", async () => {
    await lookout.push("shop/side", "1.0.0", { quietly: true });
    key = await trackApi(lookout, { "lookout.dev/together": "true" }, { more: { side: `${host}/shop/side:1.0.0` } });
    await lookout.push("shop/api", "1.1.0", { quietly: true });
    const side = await lookout.push("shop/side", "1.1.0", { quietly: true, broken: true });
    await lookout.sweep();
    await lookout.pass(minutes(30));

    expect((await lookout.record(key)).blocked.map(({ digest }) => digest)).toEqual([side]);
    expect(started()).toBe(1);
    expect(images()).toEqual([`${host}/shop/api:1.0.0`, `${host}/shop/side:1.0.0`]);

    await lookout.push("shop/side", "1.1.0", { quietly: true });
    lookout.clock.turn(seconds(1));
    await lookout.sweep();
    await lookout.pass(minutes(2));
    expect(images()).toEqual([expect.stringContaining("shop/api:1.1.0@"), expect.stringContaining("shop/side:1.1.0@")]);
  });
});

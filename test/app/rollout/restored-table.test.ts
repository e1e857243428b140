import { describe, expect, it } from "vitest";
import { memoryDatabase } from "#adapters/sqlite/database";
import { reap } from "#app/gate/reap";
import { freeze, unfreeze } from "#app/api/freezes";
import { hours, seconds } from "#domain/shared/time";
import { backupOf, type Deployed, deployed, pushOf } from "../restored.ts";
import { api, host, installation, type World, worldWithApi } from "../world.ts";

const key = "prod/shop/deployment/api";

/** Pushes tags one after another. */
async function pushAll(world: World, lookout: Deployed, tags: readonly string[], pause = 60): Promise<void> {
  for (const tag of tags) {
    await lookout.tell(await pushOf(world, tag));
    await lookout.pass(seconds(pause));
  }
}

/** Pushes tags during a freeze, so that each is an update with the next number, and the last one is rolled out. */
async function pushedDuringFreeze(world: World, lookout: Deployed, tags: readonly string[]): Promise<void> {
  await freeze({ scope: { cluster: "prod" }, by: "ana", why: "restored" }, lookout.ports);
  await pushAll(world, lookout, tags, 3);
  await unfreeze({ cluster: "prod" }, lookout.ports);
  await lookout.pass(seconds(60));
}

/** A Lookout that tracks 1.0.0 of `shop/api`. */
async function tracking(): Promise<{ readonly world: World; readonly old: Deployed }> {
  const world = await worldWithApi();
  world.deploy({ name: "api", image: `${host}/shop/api:1.0.0` });
  const old = deployed(world, memoryDatabase(installation));
  await old.pass(seconds(2));
  await old.sync();
  await old.pass(seconds(30));
  return { world, old };
}

/** A Lookout whose table was backed up before three updates, and is deployed again with the backup. */
async function restored() {
  const { world, old } = await tracking();
  const backup = backupOf(old.database);
  await pushAll(world, old, ["1.1.0", "1.2.0", "1.3.0"]);
  expect(world.image(key)).toContain(":1.3.0@");
  return { world, old, lookout: deployed(world, backup) };
}

/** Returns what no user caused here. */
const misread = ({ facts }: Deployed) =>
  facts.flatMap(({ name, seq, reasons }) =>
    name === "RevertedByUser" || reasons.some(({ reason }) => reason === "changed-by-hand") ? [`${name} ${seq}`] : [],
  );

/** Expects that a workload runs a tag, and that nothing holds or blocks the next updates. */
async function expectRuns(world: World, lookout: Deployed, tag: string): Promise<void> {
  const { hold, active, pending, blocked } = await lookout.record(key);
  const image = world.image(key).replace(/@.*/, "");
  expect({ image, hold, active, pending, blocked, misread: misread(lookout) }).toEqual({
    image: `${host}/shop/api:${tag}`,
    blocked: [],
    misread: [],
  });
}

describe("after a restore from a backup", () => {
  it.each([{ synced: true }, { synced: false }])(
    "an update gets a number that the object has never had, though its label has the next one (synced before: $synced)",
    async ({ synced }) => {
      const { world, lookout } = await restored();
      if (synced) await lookout.sync();
      await pushedDuringFreeze(world, lookout, ["1.4.0", "1.5.0", "1.6.0"]);

      await expectRuns(world, lookout, "1.6.0");
      expect((await lookout.record(key)).seq).toBeGreaterThan(3);
    },
  );

  it("the next sync takes the image of an update that the record lacks", async () => {
    const { world, lookout } = await restored();
    await lookout.sync();
    await expectRuns(world, lookout, "1.3.0");

    await pushAll(world, lookout, ["1.4.0"]);
    await expectRuns(world, lookout, "1.4.0");
    expect(world.cluster.object(api)?.metadata.labels).toEqual({ "lookout.dev/update": "abc123-4" });
  });

  it("a user's revert still holds the workload", async () => {
    const { world, lookout } = await restored();
    await lookout.sync();
    await pushAll(world, lookout, ["1.4.0"]);
    world.cluster.undo(api);
    await lookout.sync();
    await pushAll(world, lookout, ["1.5.0"]);

    expect(world.image(key)).toContain(":1.3.0@");
    expect((await lookout.record(key)).hold).toMatchObject({ reason: "reverted-by-user", seq: 4 });
  });

  it("a digest that a user removes comes never again, though the record lacks its update", async () => {
    const { world, lookout } = await restored();
    await lookout.sync();
    world.cluster.undo(api);
    await lookout.sync();
    await lookout.pass(seconds(60));

    expect(world.image(key)).toContain(":1.2.0@");
    expect((await lookout.record(key)).blocked).toMatchObject([{ tag: "1.3.0", reason: "changed-by-hand" }]);
  });

  it("a late patch of the former deployment is no user's change, and the newest image follows", async () => {
    const { world, old, lookout } = await restored();
    await lookout.sync();
    await pushAll(world, old, ["1.4.0"], 0);
    await pushAll(world, lookout, ["1.5.0"], 2);
    // Functions of the former deployment still run for some seconds.
    for (const tag of ["1.6.0", "1.7.0"]) {
      const push = await pushOf(world, tag);
      await old.tell(push);
      await old.settle();
      await lookout.tell(push);
      await lookout.pass(seconds(1));
      await old.settle();
    }
    old.loseMessages();
    await lookout.sync();
    await lookout.pass(seconds(120));

    await expectRuns(world, lookout, "1.7.0");
  });
});

/** Returns a backup of the moment at which the update to 1.1.0 has a status. */
async function backupDuring(status: string, options: { readonly broken?: boolean } = {}) {
  const { world, old } = await tracking();
  await old.tell(await pushOf(world, "1.1.0", options));
  await old.settle(status === "released" ? "RollOut" : undefined);
  expect((await old.record(key)).active?.status).toBe(status);
  return { world, old, backup: backupOf(old.database) };
}

describe("a backup of the moment at which an update was", () => {
  it.each(["released", "rolling-out"])(
    "%s ends with the newest image, though later updates followed",
    async (status) => {
      const { world, old, backup } = await backupDuring(status);
      await old.pass(seconds(60));
      await pushAll(world, old, ["1.2.0", "1.3.0"]);
      const lookout = deployed(world, backup);
      // The commands of the record are lost, so the reaper sends them again.
      await lookout.pass(hours(1));
      await reap(lookout.ports);
      await lookout.sync();
      await lookout.pass(seconds(120));
      await expectRuns(world, lookout, "1.3.0");

      await pushAll(world, lookout, ["1.4.0"]);
      await expectRuns(world, lookout, "1.4.0");
    },
  );

  it.each(["released", "rolling-out"])("%s blocks its image, if it was rolled back since", async (status) => {
    const { world, old, backup } = await backupDuring(status, { broken: true });
    await old.pass(hours(1));
    expect(world.image(key)).toContain(":1.0.0");
    const lookout = deployed(world, backup);
    await lookout.pass(hours(1));
    await reap(lookout.ports);
    await lookout.sync();
    await lookout.pass(seconds(120));

    const { hold, active, pending, blocked } = await lookout.record(key);
    expect({ hold, active, pending, misread: misread(lookout) }).toEqual({ misread: [] });
    expect(blocked).toMatchObject([{ tag: "1.1.0", reason: "rollout-failed" }]);
    expect(world.image(key)).toContain(":1.0.0");
  });
});

import { expect, it } from "vitest";
import { memoryDatabase } from "#adapters/sqlite/database";
import { freeze, unfreeze } from "#app/api/freezes";
import { seconds } from "#domain/shared/time";
import { api, installation, trackApi, type World, worldWithApi } from "../world.ts";
import { backupOf, type Deployed, deployed, pushOf } from "../restored.ts";

const key = "prod/shop/deployment/api";

/** Pushes tags one after another, and lets each be rolled out. */
async function updated(world: World, lookout: Deployed, tags: readonly string[]): Promise<void> {
  for (const tag of tags) {
    await lookout.tell(await pushOf(world, tag));
    await lookout.pass(seconds(30));
  }
}

/** A Lookout whose table was backed up before three updates, and is deployed again with the backup. */
async function restored(): Promise<{ world: World; old: Deployed; lookout: Deployed }> {
  const world = await worldWithApi();
  await trackApi(world);
  const old = deployed(world, memoryDatabase(installation));
  await old.sync();
  await old.pass(seconds(30));
  const backup = backupOf(old.database);
  await updated(world, old, ["1.1.0", "1.2.0", "1.3.0"]);
  expect((await old.record(key)).seq).toBe(3);
  return { world, old, lookout: deployed(world, backup) };
}

async function pushedDuringFreeze(world: World, lookout: Deployed, tags: readonly string[]): Promise<void> {
  await freeze({ scope: { cluster: "prod" }, by: "ana", why: "restored" }, lookout.ports);
  for (const tag of tags) {
    await lookout.tell(await pushOf(world, tag));
    await lookout.pass(seconds(3));
  }
  await unfreeze({ cluster: "prod" }, lookout.ports);
  await lookout.pass(seconds(60));
}

const namesOf = ({ facts }: Deployed) => facts.map(({ name, seq }) => `${name} ${String(seq)}`);

it("an update after a restore is no user's revert, though the object has a label of its number", async () => {
  const { world, lookout } = await restored();
  await pushedDuringFreeze(world, lookout, ["1.4.0", "1.5.0", "1.6.0"]);
  console.log(namesOf(lookout), (await lookout.record(key)).seq, world.cluster.object(api)?.metadata.labels);
  expect(world.image(key)).toMatch(/:1\.6\.0@/);
});

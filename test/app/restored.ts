import { memoryDatabase, type StateDatabase } from "#adapters/sqlite/database";
import type { PushNotice } from "#ports/push-receiver";
import { statePorts } from "#runtime/local/state";
import { type ByHand, lookoutByHand } from "./by-hand.ts";
import { host, installation, type World } from "./world.ts";

/** A Lookout beside others of the same cluster and registry, with a table that can be copied. */
export interface Deployed extends ByHand {
  readonly database: StateDatabase;
  sync(): Promise<void>;
}

/** Deploys a Lookout with a table, as a stack that is deployed again. */
export function deployed({ clock, cluster, registry }: World, database: StateDatabase): Deployed {
  const state = statePorts(database);
  const lookout = lookoutByHand({ installation, clock, cluster, clusterName: "prod", registry, state });
  return {
    ...lookout,
    database,
    async sync() {
      lookout.send({ name: "SyncCluster", id: `sync-${clock.now()}`, cluster: "prod" });
      await lookout.settle();
    },
  };
}

/** Returns a copy of a table, as a backup restores it: the items, and no stream. */
export function backupOf({ sql }: StateDatabase): StateDatabase {
  const copy = memoryDatabase(installation);
  copy.sql.exec("DELETE FROM items");
  const insert = copy.sql.prepare(
    "INSERT INTO items (pk, sk, form, marks, due_at, expires_at, value) VALUES (?, ?, ?, ?, ?, ?, ?)",
  );
  for (const { pk, sk, form, marks, due_at, expires_at, value } of sql.prepare("SELECT * FROM items").all())
    insert.run(pk ?? null, sk ?? null, form ?? null, marks ?? null, due_at ?? null, expires_at ?? null, value ?? null);
  return copy;
}

/** Returns the notice of a push of `shop/api`. */
export async function pushOf(
  world: World,
  tag: string,
  options: { readonly broken?: boolean } = {},
): Promise<PushNotice> {
  const digest = await world.push("shop/api", tag, { quietly: true, ...options });
  return { id: `shop/api:${tag}@${digest}`, registry: host, repository: "shop/api", tags: [tag] };
}

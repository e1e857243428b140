import { imageNameOf } from "#domain/image/reference";
import { workloadKey } from "#domain/workload/workload";
import type { RepositoryState } from "#ports/repositories";
import type { WorkloadStore } from "#ports/store";
import { firstOf, type StateDatabase } from "./database.ts";

/** Returns the subscriptions, with one row for each workload and repository. */
export function sqliteSubscribers(database: StateDatabase): Pick<WorkloadStore, "subscribe" | "subscribers"> {
  const { sql } = database;
  const leave = sql.prepare("DELETE FROM subscribers WHERE workload = ?");
  const join = sql.prepare("INSERT OR IGNORE INTO subscribers (image_name, workload) VALUES (?, ?)");
  const enter = sql.prepare("INSERT OR IGNORE INTO repositories (key, value) VALUES (?, ?)");
  const page = sql.prepare("SELECT workload FROM subscribers WHERE image_name = ? AND workload > ? ORDER BY workload");
  return {
    subscribe: (workload, repositories) => {
      const key = workloadKey(workload);
      return database.write(`subscribing ${key}`, () => {
        leave.run(key);
        for (const { registry, repository } of repositories) {
          const imageName = imageNameOf({ registry, repository });
          join.run(imageName, key);
          enter.run(imageName, JSON.stringify({ registry, repository, missed: 0 } satisfies RepositoryState));
        }
      });
    },

    // Reads one more row than it returns, to know whether there is a next page.
    subscribers: (name, limit, after = "") => {
      const imageName = imageNameOf(name);
      return database.read(`listing the subscribers of ${imageName}`, () => {
        const rows = firstOf(page.iterate(imageName, after), limit + 1).map(({ workload }) => String(workload));
        const workloads = rows.slice(0, limit);
        const last = workloads.at(-1);
        return rows.length > limit && last !== undefined ? { workloads, next: last } : { workloads };
      });
    },
  };
}

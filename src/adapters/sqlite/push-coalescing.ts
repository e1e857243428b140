import { repositoryKey } from "#domain/image/reference";
import { type EpochMs, seconds } from "#domain/shared/time";
import type { PushCoalescing } from "#ports/push-coalescing";
import type { StateDatabase } from "./database.ts";

interface Marker {
  readonly holder: string;
  readonly lease_until: number;
  /** 1: other pushes joined. */
  readonly again: 0 | 1;
}

/** The time after which another push may take the marker of a holder. */
const lease = seconds(30);

/** Returns the push coalescing, with one row for each repository that is being evaluated. */
export function sqlitePushCoalescing(database: StateDatabase): PushCoalescing {
  const read = database.sql.prepare("SELECT holder, lease_until, again FROM push_coalescing WHERE repository = ?");
  const put = database.sql.prepare("INSERT OR REPLACE INTO push_coalescing VALUES (?, ?, ?, ?)");
  const remove = database.sql.prepare("DELETE FROM push_coalescing WHERE repository = ?");
  const markerOf = (repository: string) => read.get(repository) as unknown as Marker | undefined;
  const hold = (repository: string, holder: string, now: EpochMs, again: 0 | 1): void => {
    put.run(repository, holder, now + lease, again);
  };
  return {
    begin: (name, push, now) => {
      const repository = repositoryKey(name);
      return database.write(`beginning to evaluate ${repository}`, () => {
        const marker = markerOf(repository);
        if (marker !== undefined && marker.holder !== push && marker.lease_until > now) {
          put.run(repository, marker.holder, marker.lease_until, 1);
          return "joined";
        }
        hold(repository, push, now, marker?.again ?? 0);
        return "first";
      });
    },

    end: (name, push, now) => {
      const repository = repositoryKey(name);
      return database.write(`ending the evaluation of ${repository}`, () => {
        const marker = markerOf(repository);
        if (marker?.holder !== push) return "done";
        if (marker.again === 1) {
          hold(repository, push, now, 0);
          return "again";
        }
        remove.run(repository);
        return "done";
      });
    },
  };
}

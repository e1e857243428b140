import { repositoryKey } from "#domain/image/reference";
import { type EpochMs, seconds } from "#domain/shared/time";
import type { Bursts } from "#ports/bursts";
import type { StateDatabase } from "./database.ts";

interface Marker {
  readonly holder: string;
  readonly lease_until: number;
  /** 1: others joined. */
  readonly again: 0 | 1;
}

/** How long a holder may evaluate before another push takes the marker over. */
const lease = seconds(30);

/** The markers of bursts, one row per repository. */
export function sqliteBursts(database: StateDatabase): Bursts {
  const read = database.sql.prepare("SELECT holder, lease_until, again FROM bursts WHERE repository = ?");
  const put = database.sql.prepare("INSERT OR REPLACE INTO bursts VALUES (?, ?, ?, ?)");
  const remove = database.sql.prepare("DELETE FROM bursts WHERE repository = ?");
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

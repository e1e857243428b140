import { imageNameOf } from "#domain/image/reference";
import { type EpochMs, epochMs, seconds } from "#domain/shared/time";
import { isAhead } from "#domain/shared/wrong-clock";
import type { PushCoalescing } from "#ports/push-coalescing";
import type { StateDatabase } from "./database.ts";

interface Marker {
  readonly holder: string;
  readonly lease_until: number;
  /** 1 if other pushes joined the holder, else 0. */
  readonly again: 0 | 1;
}

/** The time after which another push may take the marker of a holder. */
const lease = seconds(30);

/** Returns whether a lease has not ended. An end far ahead is from before the clock was set back. */
function isLeased({ lease_until: until }: Marker, now: EpochMs): boolean {
  return until > now && !isAhead(epochMs(until), now);
}

/** Returns the push coalescing, with one row for each repository that is being evaluated. */
export function sqlitePushCoalescing(database: StateDatabase): PushCoalescing {
  const read = database.sql.prepare("SELECT holder, lease_until, again FROM push_coalescing WHERE image_name = ?");
  const put = database.sql.prepare("INSERT OR REPLACE INTO push_coalescing VALUES (?, ?, ?, ?)");
  const remove = database.sql.prepare("DELETE FROM push_coalescing WHERE image_name = ?");
  const markerOf = (imageName: string) => read.get(imageName) as unknown as Marker | undefined;
  const hold = (imageName: string, holder: string, now: EpochMs, again: 0 | 1): void => {
    put.run(imageName, holder, now + lease, again);
  };
  return {
    begin: (name, push, now) => {
      const imageName = imageNameOf(name);
      return database.write(`beginning to evaluate ${imageName}`, () => {
        const marker = markerOf(imageName);
        if (marker !== undefined && marker.holder !== push && isLeased(marker, now)) {
          put.run(imageName, marker.holder, marker.lease_until, 1);
          return "joined";
        }
        hold(imageName, push, now, marker?.again ?? 0);
        return "first";
      });
    },

    end: (name, push, now) => {
      const imageName = imageNameOf(name);
      return database.write(`ending the evaluation of ${imageName}`, () => {
        const marker = markerOf(imageName);
        if (marker?.holder !== push) return "done";
        if (marker.again === 1) {
          hold(imageName, push, now, 0);
          return "again";
        }
        remove.run(imageName);
        return "done";
      });
    },
  };
}

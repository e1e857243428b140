import type { Sighting, TaggedImage } from "#domain/policy/tag-history";
import type { EpochMs } from "#domain/shared/time";
import { type Sightings, sightingsKept } from "#ports/sightings";
import type { StateDatabase } from "./database.ts";

/** Returns the store of sightings, with one row each. Each write deletes expired rows. */
export function sqliteSightings(database: StateDatabase): Sightings {
  const { sql } = database;
  const put = sql.prepare(
    "INSERT INTO sightings (repository, tag, digest, seen_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
  );
  const get = sql.prepare("SELECT seen_at FROM sightings WHERE repository = ? AND tag = ? AND digest = ?");
  const expire = sql.prepare("DELETE FROM sightings WHERE seen_at < ?");
  const stored = (images: readonly TaggedImage[]): readonly Sighting[] =>
    images.flatMap(({ repository, tag, digest }) => {
      const row = get.get(repository, tag, digest);
      return row === undefined ? [] : [{ repository, tag, digest, seenAt: row.seen_at as EpochMs }];
    });
  return {
    remember: (images, at) =>
      database.write("storing when images were first seen", () => {
        expire.run(at - sightingsKept);
        for (const { repository, tag, digest } of images) put.run(repository, tag, digest, at);
        return stored(images);
      }),
    among: (images) => database.read("reading when images were first seen", () => stored(images)),
  };
}

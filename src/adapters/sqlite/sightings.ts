import type { Sighting, TaggedImage } from "#domain/policy/tag-history";
import type { EpochMs } from "#domain/shared/time";
import { type Sightings, sightingsKept } from "#ports/sightings";
import type { StateDatabase } from "./database.ts";

/** Returns the store of sightings, with one row each. Each write deletes expired rows. */
export function sqliteSightings(database: StateDatabase): Sightings {
  const { sql } = database;
  const put = sql.prepare(
    "INSERT INTO sightings (image_name, tag, digest, seen_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
  );
  const get = sql.prepare("SELECT seen_at FROM sightings WHERE image_name = ? AND tag = ? AND digest = ?");
  const expire = sql.prepare("DELETE FROM sightings WHERE seen_at < ?");
  const stored = (images: readonly TaggedImage[]): readonly Sighting[] =>
    images.flatMap(({ imageName, tag, digest }) => {
      const row = get.get(imageName, tag, digest);
      return row === undefined ? [] : [{ imageName, tag, digest, seenAt: row.seen_at as EpochMs }];
    });
  return {
    remember: (images, at) =>
      database.write("storing when images were first seen", () => {
        expire.run(at - sightingsKept);
        for (const { imageName, tag, digest } of images) put.run(imageName, tag, digest, at);
        return stored(images);
      }),
    among: (images) => database.read("reading when images were first seen", () => stored(images)),
  };
}

import type { StoredSighting } from "#domain/policy/tag-age";
import type { Sightings } from "#ports/sightings";
import type { StateDatabase } from "./database.ts";

/** Returns the store of sightings, with one row each. Each write deletes expired rows. */
export function sqliteSightings(database: StateDatabase): Sightings {
  const { sql } = database;
  const put = sql.prepare(`
    INSERT INTO sightings (image_name, tag, digest, seen_at, kept_until, content) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET seen_at = excluded.seen_at, kept_until = excluded.kept_until, content = excluded.content
    WHERE sightings.seen_at <= excluded.seen_at`);
  const columns = "image_name, tag, digest, seen_at, kept_until, content";
  const list = sql.prepare(`SELECT ${columns} FROM sightings WHERE image_name = ?`);
  const get = sql.prepare(`SELECT ${columns} FROM sightings WHERE image_name = ? AND tag = ? AND digest = ?`);
  const forget = sql.prepare("DELETE FROM sightings WHERE image_name = ? AND tag = ? AND digest = ? AND seen_at = ?");
  const expire = sql.prepare("DELETE FROM sightings WHERE kept_until < ?");
  return {
    remember: (sightings, at) =>
      database.write("storing when tags came to digests", () => {
        expire.run(at);
        for (const { imageName, tag, digest, seenAt, keptUntil, content } of sightings)
          put.run(imageName, tag, digest, seenAt, keptUntil, content ?? null);
      }),
    list: (imageName) =>
      database.read(`listing the sightings of ${imageName}`, () => list.all(imageName).map(sightingOf)),
    among: (images) =>
      database.read("reading when tags came to digests", () =>
        images.flatMap(({ imageName, tag, digest }) => {
          const row = get.get(imageName, tag, digest);
          return row === undefined ? [] : [sightingOf(row)];
        }),
      ),
    forget: (sightings) =>
      database.write("deleting sightings", () => {
        for (const { imageName, tag, digest, seenAt } of sightings) forget.run(imageName, tag, digest, seenAt);
      }),
  };
}

function sightingOf(row: Record<string, unknown>): StoredSighting {
  const { image_name: imageName, tag, digest, seen_at: seenAt, kept_until: keptUntil, content } = row;
  return { imageName, tag, digest, seenAt, keptUntil, ...(content === null ? {} : { content }) } as StoredSighting;
}

import { imageNameOf } from "#domain/image/reference";
import type { ListedTags, TagMove } from "#domain/policy/tag-history";
import type { TagHistory } from "#ports/tag-history";
import type { StateDatabase } from "./database.ts";
import { jsonTable } from "./json-table.ts";

/**
 * Returns the store of tag histories. One table has the last move of each tag, and another table
 * has the listed tags of each repository.
 */
export function sqliteTagHistory(database: StateDatabase): TagHistory {
  const { sql } = database;
  const listed = jsonTable<ListedTags>(database, "listed_tags");
  const list = sql.prepare("SELECT tag, digest, moved_at, is_found FROM tag_moves WHERE image_name = ? ORDER BY tag");
  const remember = sql.prepare(`
    INSERT INTO tag_moves (image_name, tag, digest, moved_at, is_found) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET digest = excluded.digest, moved_at = excluded.moved_at, is_found = excluded.is_found
    WHERE (tag_moves.digest <> excluded.digest OR tag_moves.is_found = 1) AND tag_moves.moved_at <= excluded.moved_at`);
  const forget = sql.prepare("DELETE FROM tag_moves WHERE image_name = ? AND tag = ? AND moved_at = ?");
  const drop = sql.prepare("DELETE FROM tag_moves WHERE image_name = ?");
  return {
    list: (name) => {
      const imageName = imageNameOf(name);
      return database.read(`listing the tag moves of ${imageName}`, () => list.all(imageName).map(moveOf));
    },
    remember: (name, { tag, digest, movedAt, isFound }) => {
      const imageName = imageNameOf(name);
      return database.write(`storing the move of ${imageName}:${tag}`, () => {
        remember.run(imageName, tag, digest, movedAt, isFound === true ? 1 : 0);
      });
    },
    forget: (name, moves) => {
      const imageName = imageNameOf(name);
      return database.write(`deleting tag moves of ${imageName}`, () => {
        for (const { tag, movedAt } of moves) forget.run(imageName, tag, movedAt);
      });
    },
    listed: (name) => {
      const imageName = imageNameOf(name);
      return database.read(`reading the listed tags of ${imageName}`, () => listed.get(imageName));
    },
    writeListed: (name, tags) => {
      const imageName = imageNameOf(name);
      return database.write(`storing the listed tags of ${imageName}`, () => {
        listed.put(imageName, tags);
      });
    },
    drop: (name) => {
      const imageName = imageNameOf(name);
      return database.write(`deleting the tag history of ${imageName}`, () => {
        drop.run(imageName);
        listed.remove(imageName);
      });
    },
  };
}

function moveOf(row: Record<string, unknown>): TagMove {
  const { tag, digest, moved_at: movedAt, is_found: isFound } = row;
  return { tag, digest, movedAt, ...(isFound === 1 ? { isFound: true } : {}) } as TagMove;
}

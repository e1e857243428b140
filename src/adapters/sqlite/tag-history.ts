import { repositoryKey } from "#domain/image/reference";
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
  const list = sql.prepare("SELECT tag, digest, moved_at, is_found FROM tag_moves WHERE repository = ? ORDER BY tag");
  const remember = sql.prepare(`
    INSERT INTO tag_moves (repository, tag, digest, moved_at, is_found) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET digest = excluded.digest, moved_at = excluded.moved_at, is_found = excluded.is_found
    WHERE (tag_moves.digest <> excluded.digest OR tag_moves.is_found = 1) AND tag_moves.moved_at <= excluded.moved_at`);
  const forget = sql.prepare("DELETE FROM tag_moves WHERE repository = ? AND tag = ? AND moved_at = ?");
  const drop = sql.prepare("DELETE FROM tag_moves WHERE repository = ?");
  return {
    list: (name) => {
      const repository = repositoryKey(name);
      return database.read(`listing the tag moves of ${repository}`, () => list.all(repository).map(moveOf));
    },
    remember: (name, { tag, digest, movedAt, isFound }) => {
      const repository = repositoryKey(name);
      return database.write(`storing the move of ${repository}:${tag}`, () => {
        remember.run(repository, tag, digest, movedAt, isFound === true ? 1 : 0);
      });
    },
    forget: (name, moves) => {
      const repository = repositoryKey(name);
      return database.write(`deleting tag moves of ${repository}`, () => {
        for (const { tag, movedAt } of moves) forget.run(repository, tag, movedAt);
      });
    },
    listed: (name) => {
      const repository = repositoryKey(name);
      return database.read(`reading the listed tags of ${repository}`, () => listed.get(repository));
    },
    writeListed: (name, tags) => {
      const repository = repositoryKey(name);
      return database.write(`storing the listed tags of ${repository}`, () => {
        listed.put(repository, tags);
      });
    },
    drop: (name) => {
      const repository = repositoryKey(name);
      return database.write(`deleting the tag history of ${repository}`, () => {
        drop.run(repository);
        listed.remove(repository);
      });
    },
  };
}

function moveOf(row: Record<string, unknown>): TagMove {
  const { tag, digest, moved_at: movedAt, is_found: isFound } = row;
  return { tag, digest, movedAt, ...(isFound === 1 ? { isFound: true } : {}) } as TagMove;
}

import type { ListedTags, TagMove } from "#domain/policy/tag-history";
import type { RepositoryName } from "./registry.ts";

/**
 * When the tags of repositories moved, for policies that ask. A tag of which nothing is remembered was there before Lookout looked.
 *
 * Reads are strongly consistent.
 */
export interface TagHistory {
  /** Lists the moves that are remembered of a repository, the last of each tag, sorted by tag. */
  list(name: RepositoryName): Promise<readonly TagMove[]>;
  /**
   * Remembers a move, unless a later one of its tag is remembered, or somebody told before that the tag is at that digest: so a move may
   * come twice and in any order, and takes the place of one that was found.
   */
  remember(name: RepositoryName, move: TagMove): Promise<void>;
  /** Forgets moves; a tag that has moved again since stays remembered. */
  forget(name: RepositoryName, moves: readonly TagMove[]): Promise<void>;
  /** Answers which tags were listed before; undefined: there was no listing. */
  listed(name: RepositoryName): Promise<ListedTags | undefined>;
  /** Stores which tags were listed; the last writer wins. */
  writeListed(name: RepositoryName, tags: ListedTags): Promise<void>;
  /** Forgets all of a repository; one of which nothing is remembered is fine. */
  drop(name: RepositoryName): Promise<void>;
}

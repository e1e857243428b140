import type { ListedTags, TagMove } from "#domain/policy/tag-history";
import type { RepositoryName } from "./registry.ts";

/**
 * The moves of tags. A tag without a stored move existed before Lookout's first listing. Reads are
 * strongly consistent.
 */
export interface TagHistory {
  /** Lists the last stored move of each tag of a repository, sorted by tag. */
  list(name: RepositoryName): Promise<readonly TagMove[]>;
  /**
   * Stores a move of a tag, unless a later move or a push of the same digest is stored. Moves may
   * arrive twice and in any order. A push replaces a move that a sweep found.
   */
  remember(name: RepositoryName, move: TagMove): Promise<void>;
  /** Deletes moves. A tag that has moved again since keeps its newer move. */
  forget(name: RepositoryName, moves: readonly TagMove[]): Promise<void>;
  /** Returns the tags of the last listing, or undefined before the first listing. */
  listed(name: RepositoryName): Promise<ListedTags | undefined>;
  /** Stores the listed tags. The last writer wins. */
  writeListed(name: RepositoryName, tags: ListedTags): Promise<void>;
  /** Deletes a repository's tag history. The repository may be unknown. */
  drop(name: RepositoryName): Promise<void>;
}

import type { TagMove } from "#domain/policy/tag-history";
import { repositoryKey } from "#domain/image/reference";
import type { ManifestRead, RepositoryName, TagListing } from "#ports/registry";
import { allOf } from "./bounded.ts";
import { readOnce } from "./once.ts";
import type { Ports } from "./ports.ts";

/** What is asked about repositories in one round; nothing is asked twice. */
export interface RegistryReads {
  tags(name: RepositoryName): Promise<TagListing>;
  resolve(name: RepositoryName, tag: string): Promise<ManifestRead>;
  manifest(name: RepositoryName, digest: string): Promise<ManifestRead>;
  /** Answers when tags moved, as far as that is remembered. */
  moves(name: RepositoryName): Promise<readonly TagMove[]>;
}

/** A tag of a repository, if one is known. */
export type LikelyTag = RepositoryName & { readonly tag?: string; readonly digest?: string };

/**
 * Starts a round.
 *
 * @param likely - a tag that is likely to be selected: it is resolved while the tags of its repository are listed. It decides nothing.
 */
export function readsOver(
  ports: Pick<Ports, "registry" | "tagHistory">,
  signal: AbortSignal,
  likely?: LikelyTag,
): RegistryReads {
  const { registry, tagHistory } = ports;
  const once = readOnce();
  const resolve: RegistryReads["resolve"] = (name, tag) =>
    once(`tag ${repositoryKey(name)} ${tag}`, () => registry.resolve(name, tag, signal));
  const listing = async (name: RepositoryName): Promise<TagListing> => {
    const likelyHere = likely?.tag !== undefined && repositoryKey(likely) === repositoryKey(name);
    // Whoever needs the tag is told of a failure.
    const resolved = likelyHere ? resolve(name, likely.tag).catch(() => undefined) : undefined;
    const [listed] = await allOf([registry.tags(name, signal), resolved]);
    return listed;
  };
  return {
    tags: (name) => once(`tags ${repositoryKey(name)}`, () => listing(name)),
    resolve,
    manifest: (name, digest) =>
      once(`digest ${repositoryKey(name)} ${digest}`, () => registry.manifest(name, digest, signal)),
    moves: (name) => once(`moves ${repositoryKey(name)}`, () => tagHistory.list(name)),
  };
}

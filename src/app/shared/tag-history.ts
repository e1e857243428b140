import type { ImagePushed } from "#domain/image/push";
import { forgettable, newTags, withKnown } from "#domain/policy/tag-history";
import { deepEqual } from "#domain/shared/deep-equal";
import type { EpochMs } from "#domain/shared/time";
import type { RepositoryState } from "#ports/repositories";
import type { TagHistory } from "#ports/tag-history";
import { mapBounded } from "./bounded.ts";
import type { Ports } from "./ports.ts";
import type { RegistryReads } from "./registry-reads.ts";

/** How many tags are resolved and remembered at a time. */
const tagsAtOnce = 10;

/**
 * Remembers that the tag of a push moved, at the instant of the push; false: what it names can't be told now, and it is to be remembered
 * again.
 *
 * The push is a hint: the registry is asked what the tag names. A push of another digest than that is an old one, and whatever came after
 * it is told of by itself. Where the registry gives no answer the push is believed: whoever selects the tag asks again.
 */
export async function rememberPush(
  push: ImagePushed,
  { resolve }: Pick<RegistryReads, "resolve">,
  { tagHistory, repositories }: Pick<Ports, "tagHistory" | "repositories">,
): Promise<boolean> {
  if (push.tag === undefined) return true;
  const read = await resolve(push, push.tag);
  if (read.kind === "not-found") return true;
  const digest = read.kind === "manifest" ? read.digest : push.digest;
  if (digest === undefined) return false;
  if ((push.digest ?? digest) !== digest) return true;
  // First, so that a sweep drops what nobody follows any more.
  const state = await repositories.read(push);
  if (state !== undefined && state.followsMoves !== true) await repositories.write({ ...state, followsMoves: true });
  await tagHistory.remember(push, { tag: push.tag, digest, movedAt: push.at });
  return true;
}

/**
 * Looks in the listing of a repository for tags that nobody told of, and remembers that they moved: at some time since the listing before,
 * which is as early as may be, so that no tag that somebody told of since is passed by one that may be older.
 *
 * Of the first listing all were there before. What can't be resolved yet is looked for again by the next sweep, and so is all of it when
 * the tags can't be listed.
 *
 * @returns since when tags are new to the next listing: the instant of this one, or of the one before where this left something out.
 */
export async function discoverTags(
  state: RepositoryState,
  reads: RegistryReads,
  { tagHistory, clock }: Pick<Ports, "tagHistory" | "clock">,
): Promise<EpochMs | undefined> {
  const now = clock.now();
  const listing = await reads.tags(state);
  const tags = listing.kind === "tags" ? listing.tags : [];
  const [known, moves] = [await tagHistory.listed(state), await tagHistory.list(state)];
  const unresolved = new Set(await rememberFound(state, newTags(known, moves, tags), reads, tagHistory));
  const listed = tags.filter((tag) => !unresolved.has(tag));
  const knownNow = withKnown(known ?? [], [...listed, ...moves.map(({ tag }) => tag)]);
  // What began with a listing that failed would make old tags new to the next.
  const isListed = known !== undefined || listing.kind === "tags";
  if (isListed && !deepEqual(known, knownNow)) await tagHistory.writeListed(state, knownNow);
  // After they are known: a tag that is neither known nor seen moving is new.
  await tagHistory.forget(state, forgettable(moves));
  return listing.kind === "tags" && unresolved.size === 0 ? now : state.listedAt;
}

/** Answers which can't be resolved yet. */
async function rememberFound(
  { listedAt, ...name }: RepositoryState,
  found: readonly string[],
  reads: RegistryReads,
  { remember }: Pick<TagHistory, "remember">,
): Promise<readonly string[]> {
  if (listedAt === undefined) return [];
  const unresolved = await mapBounded(found, tagsAtOnce, async (tag) => {
    const read = await reads.resolve(name, tag);
    if (read.kind !== "manifest") return [tag];
    await remember(name, { tag, digest: read.digest, movedAt: listedAt, isFound: true });
    return [];
  });
  return unresolved.flat();
}

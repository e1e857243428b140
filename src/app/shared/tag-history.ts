import type { PushedTag } from "#domain/image/push";
import { forgettable, newTags, type TagMove, withKnown } from "#domain/policy/tag-history";
import { deepEqual } from "#domain/shared/deep-equal";
import type { EpochMs } from "#domain/shared/time";
import { atMostNow, isAhead } from "#domain/shared/wrong-clock";
import type { RepositoryName } from "#ports/registry";
import type { RepositoryState } from "#ports/repositories";
import type { TagHistory } from "#ports/tag-history";
import { mapBounded } from "./bounded.ts";
import type { Ports } from "./ports.ts";
import type { RegistryReads } from "./registry-reads.ts";

/** The number of tags that are resolved at the same time. */
const tagsAtOnce = 10;

/**
 * Stores the move of a pushed tag, at the instant of the push. Returns false if the digest can't be
 * read now.
 *
 * If the digest of the push differs from the registry's digest, the push is outdated and Lookout
 * stores nothing. If the registry does not answer, Lookout stores the digest of the push.
 */
export async function rememberPush(
  push: PushedTag,
  { resolve }: Pick<RegistryReads, "resolve">,
  { tagHistory, repositories }: Ports,
): Promise<boolean> {
  if (push.tag === undefined) return true;
  const read = await resolve(push, push.tag);
  if (read.kind === "not-found") return true;
  const digest = read.kind === "manifest" ? read.digest : push.digest;
  if (digest === undefined) return false;
  if ((push.digest ?? digest) !== digest) return true;
  // The repository is written first, so that a sweep deletes moves that no workload follows.
  const state = await repositories.read(push);
  if (state !== undefined && state.followsMoves !== true) await repositories.write({ ...state, followsMoves: true });
  await tagHistory.remember(push, { tag: push.tag, digest, movedAt: push.at });
  return true;
}

/**
 * Finds listed tags without a push, and stores their moves.
 *
 * The move of a found tag gets the instant of the previous listing, so that it is not newer than a
 * push. Tags of the first listing are not new. The next sweep retries unresolved tags.
 *
 * @returns the instant after which Lookout treats a tag as new: now, or the previous instant after
 *   a failure.
 */
export async function discoverTags(
  state: RepositoryState,
  reads: RegistryReads,
  { tagHistory, clock }: Ports,
): Promise<EpochMs | undefined> {
  const now = clock.now();
  const listing = await reads.tags(state);
  const tags = listing.kind === "tags" ? listing.tags : [];
  const known = await tagHistory.listed(state);
  const moves = await movesUntil(now, state, tagHistory);
  const unresolved = new Set(await rememberFound(state, newTags(known, moves, tags), now, reads, tagHistory));
  const listed = tags.filter((tag) => !unresolved.has(tag));
  const knownNow = withKnown(known ?? [], [...listed, ...moves.map(({ tag }) => tag)]);
  // If Lookout stored the tags after a failed first listing, old tags would be new in the next
  // listing.
  const isListed = known !== undefined || listing.kind === "tags";
  if (isListed && !deepEqual(known, knownNow)) await tagHistory.writeListed(state, knownNow);
  // Moves are deleted last, because a tag that is neither listed nor moved is new.
  await tagHistory.forget(state, forgettable(moves));
  return listing.kind === "tags" && unresolved.size === 0 ? now : state.listedAt;
}

/**
 * Lists the moves of a repository. A move in the future is stored again as a move of now, because no later push would
 * replace it.
 */
async function movesUntil(now: EpochMs, name: RepositoryName, tagHistory: TagHistory): Promise<readonly TagMove[]> {
  const moves = await tagHistory.list(name);
  const ahead = moves.filter(({ movedAt }) => isAhead(movedAt, now));
  if (ahead.length === 0) return moves;
  await tagHistory.forget(name, ahead);
  const settled = ahead.map((move) => ({ ...move, movedAt: now }));
  await mapBounded(settled, tagsAtOnce, (move) => tagHistory.remember(name, move));
  return [...moves.filter((move) => !ahead.includes(move)), ...settled];
}

/** Stores the moves of found tags. Returns the tags that can't be resolved yet. */
async function rememberFound(
  { listedAt, ...name }: RepositoryState,
  found: readonly string[],
  now: EpochMs,
  reads: RegistryReads,
  { remember }: Pick<TagHistory, "remember">,
): Promise<readonly string[]> {
  if (listedAt === undefined) return [];
  const unresolved = await mapBounded(found, tagsAtOnce, async (tag) => {
    const read = await reads.resolve(name, tag);
    if (read.kind !== "manifest") return [tag];
    await remember(name, { tag, digest: read.digest, movedAt: atMostNow(listedAt, now), isFound: true });
    return [];
  });
  return unresolved.flat();
}

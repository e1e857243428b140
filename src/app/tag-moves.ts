import type { ImagePushed } from "#domain/events";
import { forgettable, newTags, withKnown } from "#domain/known-tags";
import { same } from "#domain/same";
import type { RepositoryName } from "#ports/registry";
import { mapBounded } from "./bounded.ts";
import type { Ports } from "./ports.ts";
import type { RegistryReads } from "./registry-reads.ts";

/** How many tags are resolved and remembered at a time. */
const tagsAtOnce = 10;

/**
 * Remembers that the tag of a push moved, at the instant of the push.
 *
 * The push is a hint: the registry is asked what the tag names. A push of another digest than that is an old one, and whatever came after
 * it is told of by itself. Where the registry gives no answer the push is believed: whoever elects the tag asks again.
 */
export async function rememberPush(
  push: ImagePushed,
  { resolve }: Pick<RegistryReads, "resolve">,
  { tagMoves }: Pick<Ports, "tagMoves">,
): Promise<void> {
  if (push.tag === undefined) return;
  const read = await resolve(push, push.tag);
  const digest = read.kind === "manifest" ? read.digest : read.kind === "not-found" ? undefined : push.digest;
  if (digest === undefined || (push.digest ?? digest) !== digest) return;
  await tagMoves.remember(push, { tag: push.tag, digest, movedAt: push.at });
}

/**
 * Looks in the listing of a repository for tags that nobody told of, and remembers that they moved, now.
 *
 * Of the first listing all were there before. What can't be resolved yet is looked for again by the next sweep, and so is all of it when
 * the tags can't be listed.
 */
export async function discoverTags(
  name: RepositoryName,
  reads: RegistryReads,
  { tagMoves, clock }: Pick<Ports, "tagMoves" | "clock">,
): Promise<void> {
  const listing = await reads.tags(name);
  if (listing.kind !== "tags") return;
  const [known, moves] = [await tagMoves.known(name), await tagMoves.list(name)];
  const movedAt = clock.now();
  const unresolved = await mapBounded(newTags(known, moves, listing.tags), tagsAtOnce, async (tag) => {
    const read = await reads.resolve(name, tag);
    if (read.kind !== "manifest") return [tag];
    await tagMoves.remember(name, { tag, digest: read.digest, movedAt });
    return [];
  });
  const leftOut = new Set(unresolved.flat());
  const listed = listing.tags.filter((tag) => !leftOut.has(tag));
  const knownNow = withKnown(known ?? [], [...listed, ...moves.map(({ tag }) => tag)]);
  if (!same(known, knownNow)) await tagMoves.writeKnown(name, knownNow);
  // After they are known: a tag that is neither known nor seen moving is new.
  await tagMoves.forget(name, forgettable(moves));
}

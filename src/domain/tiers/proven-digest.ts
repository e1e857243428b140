import type { CurrentImage, SelectionRule } from "../policy/policy.ts";
import { mayReplace } from "../policy/young-tags.ts";
import type { Apply } from "../workload/patch.ts";
import type { RanImage } from "./member.ts";
import type { ProvenImage } from "./proof.ts";

/** A container that may get an image of an earlier tier. */
export interface ReceivingContainer {
  readonly current: CurrentImage;
  readonly apply: Apply;
  /** The images that the workload itself ran. */
  readonly ran: readonly RanImage[];
}

/**
 * Returns the digest of a tag that earlier tiers proved. Undefined if they proved none that the container may
 * get now.
 *
 * The digest that the registry has now comes first. An earlier digest needs an image text with a digest,
 * because a pod without it gets the present digest of its tag. An earlier digest of the running tag is
 * selected only if it is newer than the running one.
 *
 * @param tag - the selected tag.
 * @param present - the digest of the tag in the registry.
 * @param images - the images that the earlier tiers ran for the soak.
 * @param receiver - the container that may get the tag.
 */
export function provenDigest(
  tag: string,
  present: string,
  images: readonly ProvenImage[],
  receiver: ReceivingContainer,
): string | undefined {
  const { current, apply, ran } = receiver;
  const ofTag = images.filter((image) => image.tag === tag);
  if (ofTag.some(({ digest }) => digest === present)) return present;
  const [newest] = ofTag.toSorted((one, other) => other.foundAt - one.foundAt);
  if (newest === undefined || apply !== "pin") return undefined;
  if (tag !== current.tag) return newest.digest;
  const since = runningSince(current, [...images, ...ran]);
  return since !== undefined && newest.foundAt > since ? newest.digest : undefined;
}

/** Returns whether a policy may replace the running image by one that earlier tiers proved. */
export function mayFollow(
  rule: SelectionRule,
  { tag, digest, foundAt }: RanImage,
  { current, ran }: Pick<ReceivingContainer, "current" | "ran">,
  known: readonly RanImage[],
): boolean {
  if (digest === current.digest) return false;
  const movedAt = runningSince(current, [...known, ...ran]);
  if (tag === current.tag) return movedAt !== undefined && foundAt > movedAt;
  const running = { ...current, ...(movedAt === undefined ? {} : { movedAt }) };
  return mayReplace(rule, running, { name: tag, movedAt: foundAt });
}

/** Returns the instant at which Lookout learned of the running image, or since when its author knew all moves. */
function runningSince({ digest, movedAt }: CurrentImage, known: readonly RanImage[]): RanImage["foundAt"] | undefined {
  const running = known.filter((image) => image.digest === digest);
  const [first] = running.toSorted((one, other) => one.foundAt - other.foundAt);
  return first?.foundAt ?? movedAt;
}

import { realignedImage, currentImage, type DesiredImage } from "#domain/update/decide/desired-image";
import { isDrift } from "#domain/workload/digest-drift";
import type { ContainerSettings } from "#domain/settings/settings";
import type { ManifestRead } from "#ports/registry";
import type { SelectedContainer } from "./tag-image.ts";
import { withPlatforms } from "./tag-image.ts";

/**
 * Adds what is known of a container whose pods run different digests of its tag. A container that
 * follows digests gets the present digest of the tag in all its pods.
 *
 * Without an answer of the registry, nothing is known: the digests may be platforms of one image.
 */
export async function withDrift(selected: SelectedContainer, desired: DesiredImage): Promise<DesiredImage> {
  const { container, own, record } = selected;
  const { digests } = container;
  const { tag } = currentImage(container);
  if (digests === undefined || tag === undefined || desired.kind !== "satisfied") return desired;
  const read = await presentImage(selected, tag);
  if (read.kind !== "manifest" || !isDrift(digests, read)) return desired;
  const drift = `the pods run ${String(digests.length)} digests of ${tag}: ${digests.join(", ")}`;
  if (!followsDigests(own)) return { ...desired, drift };
  const realigned = realignedImage(container, own, tag, read, record.blocked);
  const checked = realigned.kind === "change" ? await withPlatforms(selected, realigned.change) : realigned;
  return checked.kind === "change" ? { ...checked, drift } : checked;
}

/** Returns the image that a tag names now, with the platforms of an index. */
async function presentImage({ name, reads }: SelectedContainer, tag: string): Promise<ManifestRead> {
  const present = await reads.resolve(name, tag);
  return present.kind === "manifest" ? reads.manifest(name, present.digest) : present;
}

/**
 * Returns the image of a digest that a tag no longer names, while new pods can pull it. Undefined without an answer, or
 * if the digest is a platform of the index that the tag names.
 */
export async function imageBeforeMove(
  selected: SelectedContainer,
  tag: string,
  digest: string,
): Promise<Manifest | undefined> {
  const { name, reads } = selected;
  const present = await presentImage(selected, tag);
  if (present.kind !== "manifest" || present.digest === digest || present.platforms.includes(digest)) return undefined;
  const before = await reads.manifest(name, digest);
  return before.kind === "manifest" ? before : undefined;
}

type Manifest = Extract<ManifestRead, { kind: "manifest" }>;

/** Returns whether a moved digest of the same tag is the update that a container waits for. */
function followsDigests({ policy, strategy }: ContainerSettings): boolean {
  return policy.kind === "digest" || strategy === "digest";
}

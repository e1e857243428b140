import { realignedImage, currentImage, type DesiredImage } from "#domain/update/decide/desired-image";
import { isDrift } from "#domain/workload/digest-drift";
import type { ContainerSettings } from "#domain/settings/settings";
import type { SelectedContainer } from "./tag-image.ts";
import { withPlatforms } from "./tag-image.ts";

/**
 * Adds what is known of a container whose pods run different digests of its tag. A container that
 * follows digests gets the present digest of the tag in all its pods.
 *
 * Without an answer of the registry, nothing is known: the digests may be platforms of one image.
 */
export async function withDrift(selected: SelectedContainer, desired: DesiredImage): Promise<DesiredImage> {
  const { container, own, name, record, reads } = selected;
  const { digests } = container;
  const { tag } = currentImage(container);
  if (digests === undefined || tag === undefined || desired.kind !== "satisfied") return desired;
  const present = await reads.resolve(name, tag);
  const read = present.kind === "manifest" ? await reads.manifest(name, present.digest) : present;
  if (read.kind !== "manifest" || !isDrift(digests, read)) return desired;
  const drift = `the pods run ${String(digests.length)} digests of ${tag}: ${digests.join(", ")}`;
  if (!followsDigests(own)) return { ...desired, drift };
  const realigned = realignedImage(container, own, tag, read, record.blocked);
  const checked = realigned.kind === "change" ? await withPlatforms(selected, realigned.change) : realigned;
  return checked.kind === "change" ? { ...checked, drift } : checked;
}

/** Returns whether a moved digest of the same tag is the update that a container waits for. */
function followsDigests({ policy, strategy }: ContainerSettings): boolean {
  return policy.kind === "digest" || strategy === "digest";
}

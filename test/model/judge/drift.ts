import type { WorkloadRecord } from "#domain/update/state/workload";
import { isDrift, severalDigests } from "#domain/workload/digest-drift";
import { short } from "#test/model/image-text";
import type { Installation } from "#test/model/world/installation";

/** Returns whether a definition says that a container gets no update, or a policy waits for a definition. */
export function isLeftAlone(container: string, { observed: { annotations } }: WorkloadRecord): boolean {
  const own = annotations[`lookout.dev/container.${container}.policy`];
  const policy = own ?? annotations["lookout.dev/policy"];
  const isOff = annotations[`lookout.dev/container.${container}.enabled`] === "false";
  return isOff || policy === "pinned" || policy === "service-image";
}

/**
 * Checks that nobody is silent about pods that run different digests of one tag: an update realigns
 * them, or the record says why not.
 */
export async function checkDrift(record: WorkloadRecord, { cluster, images, witness }: Installation): Promise<void> {
  const signal = new AbortController().signal;
  const read = await cluster.read(record.workload, signal);
  if (read.kind !== "found") return;
  const running = await cluster.runningImages(read.live, signal);
  if (running.kind !== "running") return;
  for (const container of read.live.containers) {
    const digests = severalDigests(container, running.images);
    const present = images.digestOf(container.image);
    if (digests === undefined || present === undefined || isLeftAlone(container.name, record)) continue;
    const isKnown =
      // A requested update has only the requested images. The others follow it.
      record.pending?.requested !== undefined ||
      record.selectionFailures.some((failure) => failure.container === container.name) ||
      record.pending?.changes.some(({ name }) => name === container.name) === true;
    if (isDrift(digests, { digest: present, platforms: [] }) && !isKnown)
      witness.complain("L9", `${record.workload.name} runs ${digests.map(short).join(" and ")}, and nobody says so`);
  }
}

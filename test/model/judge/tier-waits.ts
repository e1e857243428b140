import { parseSettings } from "#domain/settings/settings";
import { declaredPlaceIn } from "#domain/tiers/declared-tiers";
import { isOfTier } from "#domain/shared/reasons";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { host, rankOf, short, tagOf } from "#test/model/image-text";
import type { Installation } from "#test/model/world/installation";
import { isSuspended, type KnownTier, successOf } from "./tiers.ts";

/**
 * Checks at rest that nothing waits for ever for earlier tiers: an image that all of their members ran for
 * the soak is let through, and one that the policy prefers to the running one is selected.
 */
export function checkTierWaits(record: WorkloadRecord, installation: Installation): void {
  const { witness, now, tiers, images } = installation;
  // Those of a ServiceImage have rules of their own.
  if (witness.tiers.isHeldByName(record) || declaredPlaceIn(record.observed.annotations) !== undefined) return;
  const { workload, pending, blocked, kept, hold, suspension, observed } = record;
  const isBlocked = (digest: string): boolean => blocked.some((one) => one.digest === digest);
  const isProven = (earlier: readonly KnownTier[], digest: string): boolean =>
    earlier.length > 0 && earlier.every((one) => hasSoaked(one, digest, now));
  const waits = pending?.waits.some(({ reason }) => isOfTier(reason) && reason !== "tier-unknown") === true;
  const isOpen = (change: NonNullable<typeof pending>["changes"][number]): boolean => {
    const earlier = witness.tiers.earlierOf(record, change, tiers);
    return earlier.length === 0 || isProven(earlier, change.digest);
  };
  if (waits && pending.changes.every(isOpen))
    witness.complain("L1", `update ${pending.seq} of ${workload.name} waits for earlier tiers, which all ran it`);
  if (hold !== undefined || kept !== undefined || suspension !== undefined || record.skips !== undefined) return;
  if (record.selectionFailures.length > 0) return;
  if (observed.annotations["lookout.dev/suspend"] === "true" || pending?.requested !== undefined) return;
  const settings = parseSettings(observed.annotations, observed.containers).containers;
  for (const container of observed.containers) {
    const own = settings[container.name];
    if (own?.policy.kind !== "semver" || own.apply !== "pin" || observed.containers.length > 1) continue;
    const [imageName = ""] = container.image.split("@")[0]?.split(/:(?=[^/]*$)/) ?? [];
    const { list, name } = container;
    const earlier = witness.tiers.earlierOf(record, { list, name, imageName }, tiers);
    const wanted = pending?.changes.find((change) => change.name === name);
    const reached = Math.max(rankOf(tagOf(container.image)), waits || wanted === undefined ? 0 : rankOf(wanted.tag));
    for (const tag of images.tags(imageName.slice(host.length + 1))) {
      const digest = images.digestOf(`${imageName}:${tag}`) ?? "";
      if (rankOf(tag) <= reached || isBlocked(digest) || witness.quarantinedAt.has(digest)) continue;
      if (isProven(earlier, digest))
        witness.complain("L2", `${workload.name} does not get ${tag} ${short(digest)}, which all earlier tiers ran`);
    }
  }
}

/** Returns whether every member of a tier ran a digest for the soak, and none has it blocked. */
function hasSoaked({ tier, members }: KnownTier, digest: string, now: number): boolean {
  const counting = members.filter((member) => !isSuspended(member));
  return (
    counting.length > 0 &&
    members.every(({ record }) => !record.blocked.some((one) => one.digest === digest)) &&
    counting.every((member) => {
      const success = successOf(member, { digest });
      return success !== undefined && success.at + tier.soak <= now;
    })
  );
}

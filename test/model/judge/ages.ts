import type { TaggedImage } from "#domain/policy/tag-history";
import { parseSettings } from "#domain/settings/settings";
import type { Witness } from "#test/model/history/witness";
import type { LandedPatch } from "./patches.ts";

/** Clocks of two functions differ by at most this, where any is off. */
const clocksDifferMs = 600_000;

/** Names an image by its repository, tag and digest. */
export function imageKey({ repository, tag, digest }: TaggedImage): string {
  return `${repository}:${tag}@${digest}`;
}

/**
 * Checks that Lookout knew each digest under its tag for as long as the object asks, when its patch was written.
 *
 * @param skewed - whether a clock of a function was off, some time.
 */
export function checkAges({ patch, before, reads, at }: LandedPatch, skewed: boolean, witness: Witness): void {
  const record = reads.record?.record;
  const { gates } = parseSettings(before.metadata.annotations ?? {}, record?.observed.containers ?? []);
  const { minAge } = gates;
  if (minAge === undefined) return;
  for (const change of record?.active?.changes ?? []) {
    const seenAt = witness.seenAt.get(imageKey(change));
    const age = seenAt === undefined ? "no age" : `${Math.round((at - seenAt) / 1_000)} s`;
    if (seenAt === undefined || at < seenAt + minAge - (skewed ? clocksDifferMs : 0))
      witness.complain("S12", `${patch.updateLabel.to} was written although ${change.tag} was known for ${age}`);
  }
}

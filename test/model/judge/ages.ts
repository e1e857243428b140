import { minAgeSetting } from "#domain/gates/min-age";
import type { TaggedImage } from "#domain/policy/tag-history";
import { parseSettings } from "#domain/settings/settings";
import type { WorkloadRecord } from "#domain/update/state/workload";
import type { Witness } from "#test/model/history/witness";

/** The maximum difference of two functions' clocks. */
export const clocksDifferMs = 600_000;

/** Returns the key of an image: its name, tag and digest. */
export function imageKey({ imageName, tag, digest }: TaggedImage): string {
  return `${imageName}:${tag}@${digest}`;
}

/** A landed patch, with the read annotations and the record. */
interface Landed {
  readonly updateLabel: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly record: WorkloadRecord | undefined;
  /** The time at which the patch was sent, by the clock of its run if that was ahead. */
  readonly at: number;
}

/**
 * Checks that Lookout had known each digest under its tag for the minimum age.
 *
 * @param skewed - whether the clock of any function was off.
 */
export function checkAges(landed: Landed, skewed: boolean, witness: Witness): void {
  const { updateLabel, annotations, record, at } = landed;
  const minAge = minAgeSetting.valueIn(parseSettings(annotations, record?.observed.containers ?? []).gates);
  if (minAge === undefined) return;
  for (const change of record?.active?.changes ?? []) {
    const seenAt = witness.seenAt.get(imageKey(change));
    const age = seenAt === undefined ? "no age" : `${Math.round((at - seenAt) / 1_000)} s`;
    if (seenAt === undefined || at < seenAt + minAge - (skewed ? clocksDifferMs : 0))
      witness.complain("S12", `${updateLabel} was written although ${change.tag} was known for ${age}`);
  }
}

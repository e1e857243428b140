import type { TaggedImage } from "#domain/policy/tag-history";
import { parseSettings } from "#domain/settings/settings";
import type { WorkloadRecord } from "#domain/update/states";
import type { Witness } from "#test/model/history/witness";

/** Clocks of two functions differ by at most this, where any is off. */
const clocksDifferMs = 600_000;

/** Names an image by its repository, tag and digest. */
export function imageKey({ repository, tag, digest }: TaggedImage): string {
  return `${repository}:${tag}@${digest}`;
}

/** A patch that landed, with the annotations that its run had read, and the record that it rests on. */
interface Landed {
  readonly updateLabel: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly record: WorkloadRecord | undefined;
  /** When it was sent, in the time of the simulation. */
  readonly at: number;
}

/**
 * Checks that Lookout knew each digest under its tag for as long as the object asked when it was read.
 *
 * @param skewed - whether a clock of a function was off, some time.
 */
export function checkAges(landed: Landed, skewed: boolean, witness: Witness): void {
  const { updateLabel, annotations, record, at } = landed;
  const { minAge } = parseSettings(annotations, record?.observed.containers ?? []).gates;
  if (minAge === undefined) return;
  for (const change of record?.active?.changes ?? []) {
    const seenAt = witness.seenAt.get(imageKey(change));
    const age = seenAt === undefined ? "no age" : `${Math.round((at - seenAt) / 1_000)} s`;
    if (seenAt === undefined || at < seenAt + minAge - (skewed ? clocksDifferMs : 0))
      witness.complain("S12", `${updateLabel} was written although ${change.tag} was known for ${age}`);
  }
}

import type { Vote } from "#domain/approval/votes";
import type { Freeze } from "#domain/gates/freezes";
import type { StoredSighting } from "#domain/policy/tag-age";
import type { ListedTags, TagMove } from "#domain/policy/tag-history";
import type { Result } from "#domain/shared/result";
import type { WorkloadRecord } from "#domain/update/state/workload";
import type { LedgerRow } from "./ledger.ts";
import type { QuarantinedDigest } from "./quarantine.ts";
import type { Registration } from "./registrations.ts";
import type { RepositoryState } from "./repositories.ts";

/** The values that an export moves, by kind. */
export interface MovedValues {
  readonly freeze: Freeze;
  readonly quarantined: QuarantinedDigest;
  readonly record: WorkloadRecord;
  readonly vote: Vote;
  readonly sighting: StoredSighting;
  readonly repository: RepositoryState;
  readonly move: TagMove;
  readonly listing: ListedTags;
  readonly registration: Registration;
  readonly history: LedgerRow;
}

/** The names of the kinds in exports. */
export const movedKinds = [
  "freeze",
  "quarantined",
  "record",
  "vote",
  "sighting",
  "repository",
  "move",
  "listing",
  "registration",
  "history",
] as const satisfies readonly (keyof MovedValues)[];
/** One of {@link movedKinds}. */
export type MovedKind = keyof MovedValues;

/** The forms of stored values, for exports. */
export interface Forms {
  /** Returns the form in which this Lookout writes values of a kind. */
  written(kind: MovedKind): number;
  /** Reads a value of a form. The problem says what is wrong with it: `its member "at" is missing`. */
  read<Name extends MovedKind>(kind: Name, form: number, value: unknown): Result<MovedValues[Name], string>;
}

/** Returns whether a text names a kind. */
export function isMovedKind(name: string): name is MovedKind {
  return (movedKinds as readonly string[]).includes(name);
}

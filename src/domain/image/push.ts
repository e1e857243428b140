import type { EpochMs } from "../shared/time.ts";

/** A registry has, or is said to have, something new. A hint: digest and tag are asked of the registry. */
export interface ImagePushed {
  readonly name: "ImagePushed";
  /** The sender's own identity of the push where there is one; the same push has the same id when it is told twice. */
  readonly id: string;
  readonly registry: string;
  readonly repository: string;
  /** Absent for a push by digest alone. */
  readonly tag?: string;
  readonly digest?: string;
  /** Who told: `webhook distribution`, `webhook generic`, … */
  readonly source: string;
  readonly at: EpochMs;
  /** Where the last evaluation of this push stopped: subscribers after this key are still to be looked at. */
  readonly after?: string;
}

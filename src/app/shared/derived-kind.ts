import type { Ports } from "./ports.ts";

/** One kind of rows that are derived from records, and how they are written again. */
export interface DerivedRows {
  /** The rows, for people: `rows of the list of workloads`. */
  readonly name: string;
  /** Returns the keys of the workloads whose rows differ from their records. */
  readonly differing: (workloads: readonly string[], ports: Ports) => Promise<readonly string[]>;
  /** Writes the rows of these workloads again. */
  readonly rebuild: (workloads: readonly string[], ports: Ports) => Promise<void>;
}

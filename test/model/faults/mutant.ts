import type { Tamper } from "#test/model/world/installation";

/** A faulty part of the world. */
interface Broken {
  readonly what: string;
  readonly tamper: Tamper;
}

/** A faulty part that some history detects. */
export interface HistoryMutant extends Broken {
  /** The invariant that must fail. */
  readonly caughtBy: string;
  /** The first seed of the search, if few histories detect the fault. Absent: 1. */
  readonly firstSeed?: number;
  /** True: people control workloads in all of these histories. Absent: in none. */
  readonly peopleControl?: boolean;
  /** True: channels tell receivers in all of these histories. Absent: in none. */
  readonly channels?: boolean;
  /** True: `lookout.yaml` has tiers in all of these histories. Absent: in none. */
  readonly tiers?: boolean;
  /** True: definitions in the cluster count in all of these histories. Absent: in none. */
  readonly definitions?: boolean;
}

/** A faulty part that only a killed function reveals. */
export interface CrashMutant extends Broken {
  /** The scenario whose kills reveal the fault. */
  readonly shownBy: string;
}

import type { Tamper } from "#test/model/world/installation";

/** A part of the world that breaks a rule. */
interface Broken {
  readonly what: string;
  readonly tamper: Tamper;
}

/** A part whose fault some history shows. */
export interface HistoryMutant extends Broken {
  /** The invariant that has to be seen broken. */
  readonly caughtBy: string;
  /** Where the search for a history begins, because few of them show the fault. Absent: at 1. */
  readonly firstSeed?: number;
}

/** A part whose fault nobody sees as long as no function dies. */
export interface CrashMutant extends Broken {
  /** The scenario whose deaths show it. */
  readonly shownBy: string;
}

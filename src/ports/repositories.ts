import type { SweepProblem } from "#domain/registry/checks";
import type { DurationMs, EpochMs } from "#domain/shared/time";
import type { RegistryReason, RepositoryName } from "./registry.ts";

/** A repository with subscribed workloads, and the results of its sweeps. */
export interface RepositoryState extends RepositoryName {
  /**
   * The instant of the first sweep that ended. Absent if no sweep has ended.
   */
  readonly firstSweptAt?: EpochMs;
  /**
   * The sweep interval of the repository's subscribers. Absent if the default interval of its
   * registry applies.
   */
  readonly interval?: DurationMs;
  /** The number of sweeps that found a missed push. */
  readonly missed: number;
  readonly lastMissedAt?: EpochMs;
  /**
   * True if a workload has followed the newest moved tag since the last sweep, so tag moves are
   * recorded.
   */
  readonly followsMoves?: true;
  /**
   * The instant at which a sweep last listed the tags to find new tags. Absent if no sweep has
   * listed them.
   */
  readonly listedAt?: EpochMs;
  /** The instant of the last sweep that read all it needed. Absent if there was no such sweep. */
  readonly checkedAt?: EpochMs;
  /** The reason why the registry gave the last sweep no answer. Absent after a successful sweep. */
  readonly problem?: SweepProblem & { readonly reason: RegistryReason };
}

/**
 * The repositories with subscribed workloads. `WorkloadStore.subscribe` adds them, and a sweep that
 * finds no subscriber removes them.
 *
 * The last writer of a state wins, so Lookout may count two concurrent sweeps as one sweep. Reads
 * are strongly consistent.
 */
export interface Repositories {
  /** The longest time by which a stored `checkedAt` may lag, because each write costs. */
  readonly checksLagAtMost: DurationMs;
  /** Lists all repositories, in the order of `registry/path`. */
  list(): Promise<readonly RepositoryState[]>;
  /** Returns undefined for an unlisted repository. */
  read(name: RepositoryName): Promise<RepositoryState | undefined>;
  /** Stores the whole state. If the repository is not listed, the method adds the repository. */
  write(state: RepositoryState): Promise<void>;
  /** Deletes a repository's state. The repository need not be listed. */
  forget(name: RepositoryName): Promise<void>;
  /**
   * Returns the last tick of the schedule whose sweeps were all queued; undefined before the first
   * tick.
   */
  lastTick(): Promise<EpochMs | undefined>;
  /** Stores the tick whose sweeps were all queued. */
  writeTick(at: EpochMs): Promise<void>;
}

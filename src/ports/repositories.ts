import type { EpochMs } from "#domain/shared/time";
import type { RepositoryName } from "./registry.ts";

/** A repository that workloads are subscribed to, and what sweeps of it found. */
export interface RepositoryState extends RepositoryName {
  /** When a sweep last looked at it; absent before the first. */
  readonly sweptAt?: EpochMs;
  /** How many sweeps found something that nobody had told of. */
  readonly missed: number;
  readonly lastMissedAt?: EpochMs;
  /** True: a workload followed the tag that moved last, at the last sweep or since, and so it is remembered when tags move. */
  readonly followsMoves?: true;
  /** When a sweep last listed its tags to find new ones; absent where none did. */
  readonly listedAt?: EpochMs;
  /** Why its registry could not be asked, and since when it can't; absent when the last sweep went well. */
  readonly problem?: {
    readonly reason: "registry-unreachable" | "registry-denied";
    readonly detail: string;
    readonly since: EpochMs;
    /** Until when the registry asks to be left alone; absent where it does not say. */
    readonly until?: EpochMs;
  };
}

/**
 * The repositories that any workload is subscribed to. `WorkloadStore.subscribe` enters them; one too many is harmless, because a
 * sweep that finds nobody subscribed forgets it.
 *
 * The last writer of a state wins: two sweeps of one repository at once may count as one. Reads are strongly consistent.
 */
export interface Repositories {
  /** Lists all of them, in the order of `registry/path`. */
  list(): Promise<readonly RepositoryState[]>;
  /** Answers undefined for a repository that is not listed. */
  read(name: RepositoryName): Promise<RepositoryState | undefined>;
  /** Stores the whole state, and enters a repository that is not listed. */
  write(state: RepositoryState): Promise<void>;
  /** Takes a repository off the list with all that is remembered of it; one that is not listed is fine. */
  forget(name: RepositoryName): Promise<void>;
}

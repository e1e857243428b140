import type { ReasonView } from "./api.ts";

/** A repository that workloads are subscribed to, and what sweeps found there. */
export interface RepositoryView {
  /** `registry/path`. */
  readonly repository: string;
  /** How many are subscribed. */
  readonly workloads: number;
  /** How many sweeps found something that nobody had told of. */
  readonly eventsMissed: number;
  /** When a sweep looked last; absent before the first. */
  readonly sweptAt?: string;
  /** When one last found something that nobody had told of. */
  readonly lastMissedAt?: string;
  /** Why its registry could not be asked by the last sweep, and since when it can't. */
  readonly problem?: ReasonView & { readonly since: string };
}

/** Every repository that workloads are subscribed to, in the order of their names. */
export interface RepositoriesView {
  readonly at: string;
  readonly repositories: readonly RepositoryView[];
}

/** Sweeps now. */
export interface SweepRequest {
  /** As in an image, without tag: `registry.example.com/shop/api`, `nginx`. Absent: all that workloads are subscribed to. */
  readonly repository?: string;
}

/** What a sweep found in one repository. */
export interface SweptView {
  readonly repository: string;
  /** How many are subscribed. */
  readonly workloads: number;
  /** True: there was something that nobody had told of, and policies are being asked. */
  readonly missed: boolean;
  /** Why its registry could not be asked about everything. */
  readonly problem?: ReasonView;
}

/** What a sweep found, in the order of the repositories' names. */
export interface SweepView {
  readonly at: string;
  readonly repositories: readonly SweptView[];
  /** Repositories that there was no time for; the schedule looks at them. */
  readonly notReached: readonly string[];
}

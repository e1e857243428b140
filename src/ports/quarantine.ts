import type { EpochMs } from "#domain/shared/time";

/** A digest that no workload may receive. */
export interface QuarantinedDigest {
  readonly digest: string;
  readonly by: string;
  readonly why: string;
  readonly at: EpochMs;
}

/** The digests in quarantine. Reads are strongly consistent. */
export interface Quarantine {
  /** Returns the quarantined ones among the digests, in their order. */
  among(digests: readonly string[]): Promise<readonly QuarantinedDigest[]>;
  /** Lists all entries, sorted by digest. */
  list(): Promise<readonly QuarantinedDigest[]>;
  /** Stores an entry. It replaces the digest's former entry. */
  add(entry: QuarantinedDigest): Promise<void>;
  /** Deletes a digest's entry; false when there is none. */
  lift(digest: string): Promise<boolean>;
}

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
  /** Returns the entries of the digests that are in quarantine, in the order of the digests. */
  among(digests: readonly string[]): Promise<readonly QuarantinedDigest[]>;
  /** Lists all entries, sorted by digest. */
  list(): Promise<readonly QuarantinedDigest[]>;
  /** Stores an entry. The new entry replaces an earlier entry of the digest. */
  add(entry: QuarantinedDigest): Promise<void>;
  /** Deletes the entry of a digest. Returns false if the digest has no entry. */
  lift(digest: string): Promise<boolean>;
}

import type { EpochMs } from "#domain/shared/time";

/** A digest that no workload may be given. */
export interface QuarantinedDigest {
  readonly digest: string;
  readonly by: string;
  readonly why: string;
  readonly at: EpochMs;
}

/** The digests in quarantine. Reads are strongly consistent. */
export interface Quarantine {
  /** Answers the entries for those of the digests that are in quarantine, in the order given. */
  among(digests: readonly string[]): Promise<readonly QuarantinedDigest[]>;
  /** Lists all entries, sorted by digest. */
  list(): Promise<readonly QuarantinedDigest[]>;
  /** Puts a digest in quarantine; an entry that is there is replaced. */
  add(entry: QuarantinedDigest): Promise<void>;
  /** Takes a digest out; false when it was not in. */
  lift(digest: string): Promise<boolean>;
}

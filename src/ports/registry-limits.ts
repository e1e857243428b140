import type { Breaker } from "#domain/registry/breaker";
import type { RegistryLimit } from "#domain/registry/lease";
import type { Outage } from "#domain/registry/outage";
import type { Pauses } from "#domain/registry/pauses";
import type { EpochMs } from "#domain/shared/time";

/** The stored state of one registry. */
export interface RegistryState {
  readonly limit?: RegistryLimit;
  readonly breaker?: Breaker;
  /** The current or the last outage. */
  readonly outage?: Outage;
  /** The pauses after stated limits. */
  readonly pauses?: Pauses;
}

/**
 * The limit, the breaker, the outage and the pauses of each registry, shared by all functions. Reads
 * are strongly consistent. A state may expire a day after its last write.
 */
export interface RegistryLimits {
  /** Returns an empty state for an unknown host. */
  read(host: string): Promise<RegistryState>;
  /**
   * Stores a limit if the stored version is `limit.version - 1` (0: no limit is stored). Returns
   * whether it stored the limit.
   */
  writeLimit(host: string, limit: RegistryLimit, now: EpochMs): Promise<boolean>;
  /** Stores a breaker, as {@link RegistryLimits.writeLimit} does. */
  writeBreaker(host: string, breaker: Breaker, now: EpochMs): Promise<boolean>;
  /** Stores an outage, as {@link RegistryLimits.writeLimit} does. */
  writeOutage(host: string, outage: Outage, now: EpochMs): Promise<boolean>;
  /** Stores the pauses, as {@link RegistryLimits.writeLimit} does. */
  writePauses(host: string, pauses: Pauses, now: EpochMs): Promise<boolean>;
}

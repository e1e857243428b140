import type { Breaker } from "../registry/breaker.ts";
import type { Outage } from "../registry/outage.ts";
import type { Pauses } from "../registry/pauses.ts";

/** What Lookout knows of a registry without asking it. */
export interface KnownRegistry {
  readonly breaker?: Breaker;
  readonly outage?: Outage;
  readonly pauses?: Pauses;
}

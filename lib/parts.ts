/** What functions share. */
import type { Configuration } from "#contracts/configuration";
import type { LookoutBus } from "./bus.ts";
import type { LookoutHttpApi } from "./http-api.ts";
import type { WorkQueues } from "./queues.ts";
import type { LookoutTable } from "./table.ts";
import type { Timers } from "./timers.ts";

/** The parts that functions are started by, and given the use of. */
export interface Parts {
  readonly configuration: Configuration;
  readonly table: LookoutTable;
  readonly bus: LookoutBus;
  readonly queues: WorkQueues;
  readonly timers: Timers;
  readonly httpApi: LookoutHttpApi;
}

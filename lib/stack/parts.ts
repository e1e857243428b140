/** What functions share. */
import type { Configuration } from "#contracts/config/configuration";
import type { LookoutBus } from "../messaging/bus.ts";
import type { LookoutHttpApi } from "../messaging/http-api.ts";
import type { CommandQueues } from "../messaging/queues.ts";
import type { LookoutTable } from "../storage/table.ts";
import type { Timers } from "../messaging/timers.ts";

/** The parts that functions are started by, and given the use of. */
export interface Parts {
  readonly configuration: Configuration;
  readonly table: LookoutTable;
  readonly bus: LookoutBus;
  readonly queues: CommandQueues;
  readonly timers: Timers;
  readonly httpApi: LookoutHttpApi;
}

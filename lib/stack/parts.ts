/** The shared parts of functions. */
import type { Configuration } from "#contracts/config/configuration";
import type { LookoutBus } from "../messaging/bus.ts";
import type { LookoutHttpApi } from "../messaging/http-api.ts";
import type { CommandQueues } from "../messaging/queues.ts";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import type { LookoutTable } from "../storage/table.ts";
import type { Timers } from "../messaging/timers.ts";

/** The parts that start functions, and that functions use. */
export interface Parts {
  readonly configuration: Configuration;
  readonly table: LookoutTable;
  readonly bus: LookoutBus;
  readonly queues: CommandQueues;
  /** The queue of messages, events and writes that Lookout does not retry. They wait for a user. */
  readonly kept: Queue;
  readonly timers: Timers;
  readonly httpApi: LookoutHttpApi;
}

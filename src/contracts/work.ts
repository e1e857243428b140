import * as z from "zod";
import type { EpochMs } from "#domain/time";
import type { Command, Work } from "#domain/work";
import { workloadKinds, type WorkloadName } from "#domain/workload";

const workload = z.object({
  cluster: z.string().min(1),
  namespace: z.string().min(1),
  kind: z.enum(workloadKinds),
  name: z.string().min(1),
}) satisfies z.ZodType<WorkloadName>;

const correlation = { correlationId: z.string().exactOptional() };

const state = {
  workload,
  uid: z.string().min(1),
  seq: z.int().min(0),
  version: z.int().min(1),
  ...correlation,
};

const instant = z.number().transform((value) => value as EpochMs);

/**
 * The form of each command on its queue: what is without a member, or has a wrong one, goes to the dead letters at once. Unknown members
 * are passed over: a newer Lookout sends them while it replaces this one.
 */
export const workSchemas = {
  SyncCluster: z.object({ command: z.literal("SyncCluster"), id: z.string(), cluster: z.string().min(1) }),
  SweepRepository: z.object({
    command: z.literal("SweepRepository"),
    id: z.string().min(1),
    registry: z.string().min(1),
    repository: z.string().min(1),
    at: instant,
  }),
  EvaluateWorkload: z.object({
    command: z.literal("EvaluateWorkload"),
    id: z.string(),
    workload,
    because: z.string(),
    ...correlation,
  }),
  Wake: z.object({ command: z.literal("Wake"), ...state, hint: z.string().exactOptional() }),
  RollOut: z.object({ command: z.literal("RollOut"), ...state }),
  CheckRollout: z.object({
    command: z.literal("CheckRollout"),
    ...state,
    hint: z.string().exactOptional(),
  }),
} as const satisfies { readonly [Name in Command]: z.ZodType<Extract<Work, { command: Name }>> };

import * as z from "zod";
import type { ImagePushed } from "#domain/events";
import type { EpochMs } from "#domain/time";
import type { Command, Work } from "#domain/work";
import { workloadKinds, type WorkloadName } from "#domain/workload";

const workload = z.strictObject({
  cluster: z.string().min(1),
  namespace: z.string().min(1),
  kind: z.enum(workloadKinds),
  name: z.string().min(1),
}) satisfies z.ZodType<WorkloadName>;

const state = { workload, uid: z.string().min(1), seq: z.int().min(0), version: z.int().min(1) };

const instant = z.number().transform((value) => value as EpochMs);

/** The form of each command on its queue; anything else goes to the dead letters at once. */
export const workSchemas = {
  SyncCluster: z.strictObject({ command: z.literal("SyncCluster"), id: z.string(), cluster: z.string().min(1) }),
  SweepRepository: z.strictObject({
    command: z.literal("SweepRepository"),
    id: z.string().min(1),
    registry: z.string().min(1),
    repository: z.string().min(1),
    at: instant,
  }),
  EvaluateWorkload: z.strictObject({
    command: z.literal("EvaluateWorkload"),
    id: z.string(),
    workload,
    because: z.string(),
  }),
  Wake: z.strictObject({ command: z.literal("Wake"), ...state, hint: z.string().exactOptional() }),
  RollOut: z.strictObject({ command: z.literal("RollOut"), ...state }),
  CheckRollout: z.strictObject({
    command: z.literal("CheckRollout"),
    ...state,
    hint: z.string().exactOptional(),
  }),
} as const satisfies { readonly [Name in Command]: z.ZodType<Extract<Work, { command: Name }>> };

/** The form of a push on the bus. */
export const imagePushedSchema = z.strictObject({
  name: z.literal("ImagePushed"),
  id: z.string().min(1),
  registry: z.string().min(1),
  repository: z.string().min(1),
  tag: z.string().exactOptional(),
  digest: z.string().exactOptional(),
  source: z.string(),
  at: instant,
  after: z.string().exactOptional(),
}) satisfies z.ZodType<ImagePushed>;

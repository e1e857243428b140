import * as z from "zod/mini";
import type { FactWords } from "#domain/notify/words";
import { isObject } from "#domain/shared/json";
import type { EpochMs } from "#domain/shared/time";
import type { CommandName, Command } from "#domain/update/commands";
import type { AnyFact } from "#domain/update/events";
import { isWorkloadKind, type WorkloadKind } from "#domain/workload/kinds";
import type { WorkloadName } from "#domain/workload/workload";

const text = z.string().check(z.minLength(1));

const workload = z.object({
  cluster: text,
  namespace: text,
  kind: z.string().check(z.refine(isWorkloadKind)) as z.ZodMiniType<WorkloadKind>,
  name: text,
}) satisfies z.ZodMiniType<WorkloadName>;

const correlation = { correlationId: z.exactOptional(z.string()) };

const state = {
  workload,
  uid: text,
  seq: z.int().check(z.gte(0)),
  version: z.int().check(z.gte(1)),
  ...correlation,
};

const instant = z.pipe(
  z.number(),
  z.transform((value) => value as EpochMs),
);

const pushedTag = z.object({
  registry: text,
  repository: text,
  tag: z.exactOptional(z.string()),
  digest: z.exactOptional(z.string()),
  at: instant,
});

type PublishedFact = AnyFact & Partial<FactWords & { readonly schemaVersion: number }>;

/**
 * A fact of Lookout's own bus, without what the bus adds. The pattern of its rule has checked its source
 * and its account.
 */
const fact = z.pipe(
  z.custom<PublishedFact>(
    (value) =>
      isObject(value) &&
      typeof value["name"] === "string" &&
      typeof value["id"] === "string" &&
      typeof value["at"] === "number",
    "expected a fact",
  ),
  z.transform(({ schemaVersion: _, severity: _s, outcome: _o, text: _t, ...given }): AnyFact => given),
);

/**
 * The schema of each command on its queue. A message with a missing or invalid member goes to the
 * dead letters immediately. Unknown members are ignored, because a newer Lookout may send them during a
 * deployment.
 */
export const commandSchemas = {
  SyncCluster: z.object({ name: z.literal("SyncCluster"), id: z.string(), cluster: text }),
  SweepRepository: z.object({
    name: z.literal("SweepRepository"),
    id: text,
    registry: text,
    repository: text,
    at: instant,
  }),
  EvaluateWorkload: z.object({
    name: z.literal("EvaluateWorkload"),
    id: z.string(),
    workload,
    source: z.string(),
    ...correlation,
    push: z.exactOptional(pushedTag),
    timesDeadLettered: z.exactOptional(z.int().check(z.gte(1))),
  }),
  Wake: z.object({ name: z.literal("Wake"), ...state, requestedBy: z.exactOptional(z.string()) }),
  AskChecks: z.object({ name: z.literal("AskChecks"), ...state, isRepeat: z.exactOptional(z.literal(true)) }),
  RollOut: z.object({ name: z.literal("RollOut"), ...state }),
  ShowAvailable: z.object({ name: z.literal("ShowAvailable"), ...state }),
  CheckRollout: z.object({
    name: z.literal("CheckRollout"),
    ...state,
    requestedBy: z.exactOptional(z.string()),
  }),
  Deliver: z.object({
    name: z.literal("Deliver"),
    channel: text,
    fact,
    subject: z.exactOptional(
      z.discriminatedUnion("kind", [
        z.object({ kind: z.literal("update"), workload: text, seq: z.int() }),
        z.object({ kind: z.literal("push"), push: text }),
        z.object({ kind: z.literal("workload"), workload: text }),
        z.object({ kind: z.literal("quiet"), until: instant }),
      ]),
    ),
    attempt: z.exactOptional(z.int().check(z.gte(1))),
    since: z.exactOptional(instant),
    notBefore: z.exactOptional(instant),
  }),
} as const satisfies { readonly [Name in CommandName]: z.ZodMiniType<Extract<Command, { name: Name }>> };

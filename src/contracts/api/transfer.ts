import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import type { Freeze } from "#domain/gates/freezes";
import type { TagMove } from "#domain/policy/tag-history";
import type { Transition } from "#domain/update/states";
import { workloadKinds } from "#domain/workload/kinds";
import { RegisteredEks } from "../config/aws.ts";
import { answered, body } from "./operation.ts";
import { limit, list, named, next, page, request, view } from "./schema.ts";

/*
 * The lines of `lookout export` and `lookout import`. Unlike the rest of `/v1` these are rows as
 * they are stored: instants are milliseconds since 1970. Members that are not named here are kept
 * as they are.
 */

/**
 * The last instant of a JavaScript date: https://tc39.es/ecma262/#sec-time-values-and-time-range
 */
const lastInstant = 8.64e15;
const instant = z.int().min(0).max(lastInstant);
const text = z.string().min(1);
const workload = z.string().describe("cluster/namespace/kind/name");

/**
 * The version of the form of an export. One of version 1 has records that tell what happened in
 * their last version.
 */
export const exportSchema = 4;

export const ExportHeader = request("ExportHeader", "The first line of an export.", {
  lookout: z.literal("export"),
  schemaVersion: z.literal(exportSchema),
  installation: z
    .string()
    .regex(/^[a-z0-9]{6}$/, "expected six characters")
    .describe("Its name, with which it knows its own labels again."),
  version: z.string().describe("The version of the Lookout that wrote it."),
  clusters: list(text),
  at: z.iso.datetime(),
});
/** The first line of an export. */
export type ExportHeader = z.output<typeof ExportHeader>;

const RecordRow = z.object({
  kind: z.literal("record"),
  record: z.looseObject({
    schemaVersion: z.int().min(1),
    workload: z.strictObject({ cluster: text, namespace: text, kind: z.enum(workloadKinds), name: text }),
    uid: text,
    version: z.int().min(1),
    seq: z.int().min(0),
    cause: z.string(),
    changedAt: instant,
    dueAt: instant.exactOptional(),
    observed: z.looseObject({
      containers: z.array(z.looseObject({ name: text, image: z.string() })),
      annotations: z.record(z.string(), z.string()),
      sourceMarks: z.record(z.string(), z.string()),
    }),
    blocked: z.array(z.looseObject({ digest: text })),
    selectionFailures: z.array(z.looseObject({ container: z.string() })),
    tracked: z.boolean(),
  }),
});

const FreezeRow = z.object({
  kind: z.literal("freeze"),
  freeze: z.looseObject({
    scope: z.strictObject({ cluster: text.exactOptional(), namespace: text.exactOptional() }),
    by: z.string(),
    why: z.string(),
    at: instant,
    until: instant.exactOptional(),
  }) as unknown as z.ZodType<Freeze>,
});

const QuarantineRow = z.object({
  kind: z.literal("quarantined"),
  quarantined: z.looseObject({ digest: text, by: z.string(), why: z.string(), at: instant }),
});

const RegistrationRow = z.object({
  kind: z.literal("registration"),
  registration: z.looseObject({ name: text, eks: RegisteredEks, by: z.string(), at: instant }),
});

const RepositoryRow = z.object({
  kind: z.literal("repository"),
  repository: z.looseObject({ registry: text, repository: text, missed: z.int().min(0) }),
  moves: list(z.looseObject({ tag: text, digest: text, movedAt: instant }) as unknown as z.ZodType<TagMove>)
    .default([])
    .describe("When its tags moved, the last time of each."),
  known: list(z.int().min(0)).exactOptional().describe("Marks of the tags that were listed before; absent: none were."),
});

const HistoryRow = z.object({
  kind: z.literal("history"),
  rows: z.array(
    z.looseObject({
      workload,
      uid: z.string(),
      seq: z.int().min(0),
      version: z.int().min(1),
      at: instant,
      cause: z.string(),
      transition: z.looseObject({ seq: z.int().min(0), what: text }) as unknown as z.ZodType<Transition>,
    }),
  ),
});

const EvidenceRow = z
  .object({
    kind: z.literal("evidence"),
    workload,
    votes: list(z.looseObject({ person: text, decision: z.enum(["approve", "reject"]), at: instant })),
    sightings: list(z.looseObject({ repository: text, tag: text, digest: text, seenAt: instant })),
  })
  .describe("The votes on the updates of a workload, and when their images were first seen. An import leaves it out.");

export const TransferRow = named(
  "TransferRow",
  "A line of an export.",
  z.discriminatedUnion("kind", [
    EvidenceRow,
    FreezeRow,
    HistoryRow,
    QuarantineRow,
    RecordRow,
    RegistrationRow,
    RepositoryRow,
  ]),
);
/** A line of an export. */
export type TransferRow = z.output<typeof TransferRow>;

export const ExportView = view("Export", "A page of what this Lookout has stored.", {
  header: ExportHeader,
  rows: list(TransferRow),
  next,
});
/** A page of the state of a Lookout. */
export type ExportView = z.output<typeof ExportView>;

export const ImportRequest = request("ImportRequest", "Some lines of an export.", {
  header: ExportHeader,
  firstLine: z.int().min(1).describe("The number of the first of these lines, for people."),
  checkOnly: z.boolean().exactOptional().describe("Checks the lines, and stores nothing."),
  rows: z
    .array(z.unknown())
    .max(1_000)
    .readonly()
    .describe("Lines of an export; one that is not of its schema stores none."),
});
/** Some lines of an export. */
export type ImportRequest = z.output<typeof ImportRequest>;

export const ImportView = view("Import", "The number of lines by outcome.", {
  stored: z.int().min(0),
  kept: z
    .int()
    .min(0)
    .describe("How many are left out: they were there already, or only their own Lookout can know them."),
});
/** The result of an import. */
export type ImportView = z.output<typeof ImportView>;

export const ExportQuery = z.strictObject({
  limit: limit(100),
  after: page.after,
  history: z
    .enum(["true", "false"])
    .prefault("false")
    .describe("With the history of each workload, its last 1000 decisions."),
});
/** The part of the stored data to export. */
export type ExportQuery = z.output<typeof ExportQuery>;

export const transferOperations = {
  exportState: createRoute({
    method: "get",
    path: "/v1/state",
    summary: "the stored state, as `lookout export` writes it",
    request: { query: ExportQuery },
    responses: answered(ExportView, 400),
  }),
  importState: createRoute({
    method: "post",
    path: "/v1/state",
    summary: "stores lines of an export; existing items stay",
    request: { body: body(ImportRequest) },
    responses: answered(ImportView, 400, 409, 413),
  }),
} as const;

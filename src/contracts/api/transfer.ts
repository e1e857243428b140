import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import type { Freeze } from "#domain/gates/freezes";
import type { TagMove } from "#domain/policy/tag-history";
import type { Transition } from "#domain/update/state/workload";
import { workloadKinds } from "#domain/workload/kinds";
import { RegisteredEks } from "../config/aws.ts";
import { answered, body } from "./operation.ts";
import { limit, list, named, next, page, request, view } from "./schema.ts";

/*
 * The lines of `lookout export` and `lookout import`. Lines hold stored rows. So, unlike in the
 * rest of `/v1`, instants are milliseconds since 1970. Unknown members are kept.
 */

/**
 * The last instant of a JavaScript date: https://tc39.es/ecma262/#sec-time-values-and-time-range
 */
const lastInstant = 8.64e15;
const instant = z.int().min(0).max(lastInstant);
const text = z.string().min(1);
const workload = z.string().describe("cluster/namespace/kind/name");

/** The version of the export format. An import accepts only this version. */
export const exportSchema = 5;

export const ExportHeader = request("ExportHeader", "The first line of an export.", {
  lookout: z.literal("export"),
  schemaVersion: z.literal(exportSchema),
  installation: z
    .string()
    .regex(/^[a-z0-9]{6}$/, "expected six characters")
    .describe("The name of the installation. Its update labels contain the name."),
  version: z.string().describe("The version of Lookout that wrote the export."),
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
    .describe("The last move of each tag of the repository."),
  known: list(z.int().min(0))
    .exactOptional()
    .describe("Hashes of the known tags, the oldest first. Absent if no list was stored."),
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
    sightings: list(z.looseObject({ imageName: text, tag: text, digest: text, seenAt: instant })),
  })
  .describe("The votes on a workload's updates, and the first sightings of their images. An import skips this line.");

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

export const ExportView = view("Export", "A page of the stored state of this installation.", {
  header: ExportHeader,
  rows: list(TransferRow),
  next,
});
/** A page of the stored state of this installation. */
export type ExportView = z.output<typeof ExportView>;

export const ImportRequest = request("ImportRequest", "Some lines of an export.", {
  header: ExportHeader,
  firstLine: z.int().min(1).describe("The line number of the first of these lines, for messages."),
  checkOnly: z.boolean().exactOptional().describe("True if Lookout only checks the lines, and stores nothing."),
  rows: z
    .array(z.unknown())
    .max(1_000)
    .readonly()
    .describe("The lines. If one line is invalid, Lookout stores none of them."),
});
/** Some lines of an export. */
export type ImportRequest = z.output<typeof ImportRequest>;

export const ImportView = view("Import", "The number of lines by outcome.", {
  stored: z.int().min(0),
  kept: z
    .int()
    .min(0)
    .describe(
      "The number of skipped lines. Their items exist already, or are valid only in the exporting installation.",
    ),
});
/** The result of an import. */
export type ImportView = z.output<typeof ImportView>;

export const ExportQuery = z.strictObject({
  limit: limit(100),
  after: page.after,
  history: z
    .enum(["true", "false"])
    .prefault("false")
    .describe("true if the export includes the last 1000 decisions of each workload."),
});
/** The requested page of an export, with or without histories. */
export type ExportQuery = z.output<typeof ExportQuery>;

export const transferOperations = {
  exportState: createRoute({
    method: "get",
    path: "/v1/state",
    summary: "exports stored state, as `lookout export` does",
    request: { query: ExportQuery },
    responses: answered(ExportView, 400),
  }),
  importState: createRoute({
    method: "post",
    path: "/v1/state",
    summary: "imports lines of an export, and keeps existing items",
    request: { body: body(ImportRequest) },
    responses: answered(ImportView, 400, 409, 413),
  }),
} as const;

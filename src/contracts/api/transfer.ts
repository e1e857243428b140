import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { answered, body } from "./operation.ts";
import { by, limit, list, named, next, page, request, view, why } from "./schema.ts";

/*
 * The lines of `lookout export` and `lookout import`. Lines hold stored values. So, unlike in the
 * rest of `/v1`, instants are milliseconds since 1970.
 */

const text = z.string().min(1);

/** The version of the export format. An import accepts only this version. */
export const exportSchema = 6;

export const ExportHeader = request("ExportHeader", "The first line of an export.", {
  lookout: z.literal("export"),
  schemaVersion: z.literal(exportSchema, `this Lookout imports version ${exportSchema} of exports`),
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

const MovedItem = z.strictObject({
  kind: text.describe("The kind of the item: record, freeze, quarantined, …."),
  form: z.int().min(1).describe("The number of the form in which the value is stored."),
  value: z.unknown().describe("The stored value."),
});

const Line = z.strictObject({
  of: text.exactOptional().describe("The workload of votes and first sightings: cluster/namespace/kind/name."),
  items: z.array(MovedItem).min(1).max(100_000).readonly(),
});

export const TransferRow = named("TransferRow", "A line of an export: stored items that belong together.", Line);
/** A line of an export. */
export type TransferRow = z.output<typeof Line>;

const LeftOut = z.strictObject({
  kind: z.string(),
  partition: z.string().describe("The partition key `pk` of the item."),
  sortKey: z.string().describe("The sort key `sk` of the item."),
  why: z.string(),
});

export const ExportView = view("Export", "A page of the stored state of this installation.", {
  header: ExportHeader,
  rows: list(TransferRow),
  unreadable: list(LeftOut)
    .exactOptional()
    .describe("The items that can't be read, so the page lacks them. Absent if it lacks none."),
  next,
});
/** A page of the stored state of this installation. */
export type ExportView = z.output<typeof ExportView>;

export const ImportRequest = request("ImportRequest", "Some lines of an export.", {
  header: ExportHeader,
  firstLine: z.int().min(1).describe("The line number of the first of these lines, for messages."),
  checkOnly: z.boolean().exactOptional().describe("True if Lookout only checks the lines, and stores nothing."),
  withEvidence: z
    .boolean()
    .exactOptional()
    .describe("True if votes and first sightings are stored too. Only an owner of lookout.yaml may ask for it."),
  by,
  why,
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
  evidence: z.int().min(0).describe("The number of skipped lines with votes and first sightings."),
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
    responses: answered(ImportView, 400, 403, 409, 413),
  }),
} as const;

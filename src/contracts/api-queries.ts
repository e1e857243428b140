import * as z from "zod";
import { updateStatuses, workloadStates } from "./api-schemas.ts";

/* What may be asked after the `?` of a path. An unknown word is refused: a misspelt filter would show too much. */

/** Also what a command may ask for. */
export const mostRows = 1_000;

const wholeNumber = `expected a whole number from 1 to ${mostRows}`;

/** A number in a query is text. */
const limitOf = (byDefault: number) =>
  z.coerce
    .number(wholeNumber)
    .int(wholeNumber)
    .min(1, wholeNumber)
    .max(mostRows, wholeNumber)
    .prefault(byDefault)
    .describe("How many at the most.");

const page = {
  cluster: z.string().min(1).exactOptional().describe("Only those of this cluster."),
  namespace: z.string().min(1).exactOptional().describe("Only those of this namespace."),
  limit: limitOf(500),
  after: z.string().min(1).exactOptional().describe("The `next` of the page before."),
};

export const WorkloadsQuerySchema = z.strictObject({
  ...page,
  state: z.enum(workloadStates).exactOptional().describe("Only those in this state."),
});
/** Which workloads are asked for, and how many. */
export type WorkloadsQuery = z.output<typeof WorkloadsQuerySchema>;

export const UpdatesQuerySchema = z.strictObject({
  ...page,
  status: z.enum(updateStatuses).exactOptional().describe("Only those in this status."),
});
/** Which updates are asked for, and how many. */
export type UpdatesQuery = z.output<typeof UpdatesQuerySchema>;

export const DecisionsQuerySchema = z.strictObject({
  limit: limitOf(100),
  since: z.iso.datetime({ offset: true }).exactOptional().describe("Only those of this instant and later."),
});
/** How far back a history is asked for. `since` is an RFC 3339 instant of any offset. */
export type DecisionsQuery = z.output<typeof DecisionsQuerySchema>;

export const ExportQuerySchema = z.strictObject({
  limit: limitOf(100),
  after: page.after,
  history: z
    .enum(["true", "false"])
    .prefault("false")
    .describe("With the history of each workload, its last 1000 decisions."),
});
/** How much of what is stored is asked for. */
export type ExportQuery = z.output<typeof ExportQuerySchema>;

import { z } from "@hono/zod-openapi";
import { type Reason, reasons } from "#domain/shared/reasons";
import { type RefusalCode, refusalStatuses } from "../refusals.ts";

/*
 * The only definition of the shapes of `/v1`. Types and the OpenAPI document come from them.
 * Requests and, in tests, all answers are checked by them. Answers may gain members; a request with
 * an unknown member is refused.
 */

/** The schemas that the document shows under a name of their own. */
export const components = z.registry<{ id: string }>();

/** Names a schema for the document. */
export function named<Schema extends z.ZodType>(id: string, description: string, schema: Schema): Schema {
  const known = schema.openapi(id).describe(description);
  components.add(known, { id });
  return known;
}

/** A part of an answer. */
export const part = <Shape extends z.ZodRawShape>(shape: Shape) => z.object(shape).readonly();

/** An answer, or a part of several. */
export const view = <Shape extends z.ZodRawShape>(id: string, description: string, shape: Shape) =>
  named(id, description, part(shape));

/** The body of a request. */
export const request = <Shape extends z.ZodRawShape>(id: string, description: string, shape: Shape) =>
  named(id, description, z.strictObject(shape).readonly());

/** Several of something. */
export const list = <Item extends z.ZodType>(item: Item) => z.array(item).readonly();

export const instant = z.iso.datetime();
export const count = z.int().min(0);
export const correlationId = z.string().exactOptional().describe("The id of its push; absent without a push.");
export const next = z
  .string()
  .exactOptional()
  .describe("Hand it back as `after` for the next page; absent on the last.");
export const reasonNames = Object.keys(reasons) as [Reason, ...Reason[]];

/** All reasons that refuse a request. */
const refusalCodes = Object.keys(refusalStatuses) as [RefusalCode, ...RefusalCode[]];

/** The maximum page size. */
const mostRows = 1_000;
const wholeNumber = `expected a whole number from 1 to ${mostRows}`;

/** How many rows are asked for. A number in a query is text. */
export const limit = (byDefault: number) =>
  z.coerce
    .number(wholeNumber)
    .int(wholeNumber)
    .min(1, wholeNumber)
    .max(mostRows, wholeNumber)
    .prefault(byDefault)
    .describe("How many at the most.");

/** The parameters of a list. */
export const page = {
  cluster: z.string().min(1).optional().describe("Only items of this cluster."),
  namespace: z.string().min(1).optional().describe("Only items of this namespace."),
  limit: limit(500),
  after: z.string().min(1).optional().describe("The `next` of the page before."),
};

export const ReasonView = view("Reason", "Why something does not happen, for people.", {
  reason: z.enum(reasonNames),
  sentence: z.string(),
  remedy: z.string().describe("The remedy."),
  detail: z.string().exactOptional(),
  until: instant.exactOptional(),
});
/** Why something does not happen, for people. */
export type ReasonView = z.output<typeof ReasonView>;

export const attributes = z
  .record(z.string(), z.string())
  .exactOptional()
  .describe("The named groups of tag-pattern for the tag, with `tag`, and the repository as `name`; absent: no group.");

export const ImageView = view("Image", "An image that runs or is wanted.", {
  container: z.string(),
  image: z.string().describe("The text in the manifest, or the one to write."),
  repository: z.string().describe("registry/path"),
  tag: z.string().exactOptional(),
  digest: z.string().exactOptional(),
  policy: z
    .string()
    .exactOptional()
    .describe("The policy that selects for it; absent for a container that is not tracked."),
  available: z
    .string()
    .exactOptional()
    .describe("Of a pinned container: the tag that it would get without its pin; absent when there is none."),
  attributes,
});
/** An image that runs or is wanted. */
export type ImageView = z.output<typeof ImageView>;

const PendingView = part({
  update: count.describe("The number of the update."),
  images: list(part({ container: z.string(), repository: z.string(), tag: z.string(), digest: z.string() })),
});

const problemMembers = {
  etag: z.string().exactOptional().describe("uid/version of the workload now, for If-Match."),
  pending: PendingView.exactOptional().describe("The update of the workload that waits now; absent: none."),
  deciders: list(z.string()).exactOptional().describe("The people who may decide about the workload."),
};

export const ProblemView = view("Problem", "Why a request was refused: a problem of RFC 9457.", {
  type: z.string().describe("A tag URI, with the code."),
  title: z.string().describe("The code in a sentence."),
  status: z.int().describe("The HTTP status."),
  detail: z.string().describe("What is wrong with this request."),
  code: z.enum(refusalCodes),
  remedy: z.string().describe("Who can change it, and where."),
  ...problemMembers,
});
/** Why a request was refused. */
export type ProblemView = z.output<typeof ProblemView>;
/** The members of a problem about the named workload. */
export type ProblemMembers = Pick<ProblemView, keyof typeof problemMembers>;

import { z } from "@hono/zod-openapi";
import { type Reason, reasons, type SkipReason, skipReasons } from "#domain/shared/reasons";
import { type RefusalCode, refusalStatuses } from "../refusals.ts";

/*
 * The only definition of the shapes of `/v1`. The types and the OpenAPI document are derived from
 * these schemas. Lookout checks all requests by them, and tests check all answers. Answers may gain
 * members. Lookout refuses a request with an unknown member.
 */

/** The schemas that have a name of their own in the OpenAPI document. */
export const components = z.registry<{ id: string }>();

/** Names and describes a schema for the OpenAPI document. */
export function named<Schema extends z.ZodType>(id: string, description: string, schema: Schema): Schema {
  const known = schema.openapi(id).describe(description);
  components.add(known, { id });
  return known;
}

/** Returns the schema of a part of an answer. Unknown members are dropped. */
export const part = <Shape extends z.ZodRawShape>(shape: Shape) => z.object(shape).readonly();

/** Returns the named schema of an answer, or of a part that several answers share. */
export const view = <Shape extends z.ZodRawShape>(id: string, description: string, shape: Shape) =>
  named(id, description, part(shape));

/** Returns the named schema of a request's body. Unknown members are errors. */
export const request = <Shape extends z.ZodRawShape>(id: string, description: string, shape: Shape) =>
  named(id, description, z.strictObject(shape).readonly());

/** Returns the schema of a list. */
export const list = <Item extends z.ZodType>(item: Item) => z.array(item).readonly();

export const instant = z.iso.datetime();
export const count = z.int().min(0);
export const correlationId = z
  .string()
  .exactOptional()
  .describe("The id of the push that led to the change. Absent if no push led to the change.");
export const next = z
  .string()
  .exactOptional()
  .describe("The value of `after` for the next page. Absent on the last page.");
const aName = "expected 1 to 200 printable characters, and not only spaces";

/** The name in a request. The name that a credential proves goes before it. */
export const person = z
  .string(aName)
  .max(200, aName)
  .regex(/^\P{C}*[^\s\p{C}]\P{C}*$/u, aName);

/** The name in a request that may leave it out. */
export const by = person.exactOptional().describe("The name of the requester. Default: api.");

/** The reason of a request, for the history. */
export const why = z.string().min(1).max(1_000).exactOptional().describe("The reason, for the history.");

export const reasonNames = Object.keys(reasons) as [Reason, ...Reason[]];

const skipReasonNames = Object.keys(skipReasons) as [SkipReason, ...SkipReason[]];

/** All reasons why Lookout refuses a request. */
const refusalCodes = Object.keys(refusalStatuses) as [RefusalCode, ...RefusalCode[]];

/** The maximum page size. */
const mostRows = 1_000;
const wholeNumber = `expected a whole number from 1 to ${mostRows}`;

/** Returns the schema of a page's size. The schema accepts text, because a query has no numbers. */
export const limit = (byDefault: number) =>
  z.coerce
    .number<number | string>(wholeNumber)
    .int(wholeNumber)
    .min(1, wholeNumber)
    .max(mostRows, wholeNumber)
    .prefault(byDefault)
    .describe("The maximum number of items.");

/** The parameters of a request that ends something: who ends it, and why. */
export const EndQuery = z.strictObject({
  by: by.optional(),
  why: why.optional(),
});
/** Who ends something, and why. */
export type EndQuery = z.output<typeof EndQuery>;

/** The parameters of a list. */
export const page = {
  cluster: z.string().min(1).optional().describe("Only items of this cluster."),
  namespace: z.string().min(1).optional().describe("Only items of this namespace."),
  limit: limit(500),
  after: z.string().min(1).optional().describe("The `next` of the previous page."),
};

const TierMemberView = part({
  tier: z.string(),
  workload: z
    .string()
    .exactOptional()
    .describe("cluster/namespace/kind/name. Absent if your token does not cover the member."),
  does: z
    .string()
    .exactOptional()
    .describe(
      "What it does now, in a few words. Absent in lists, in the history, and if your token does not cover it.",
    ),
  since: instant.exactOptional().describe("The start of what it does. Absent if that is unknown."),
}).describe("A member of an earlier tier.");

export const ReasonView = view("Reason", "The reason why an update or a check does not continue, with its remedy.", {
  reason: z.enum(reasonNames),
  sentence: z.string(),
  remedy: z.string().describe("The step that helps."),
  detail: z.string().exactOptional(),
  until: instant.exactOptional(),
  member: TierMemberView.exactOptional().describe("The member of an earlier tier that decides. Absent if none does."),
});
/** The reason why an update or a check does not continue, with its remedy. */
export type ReasonView = z.output<typeof ReasonView>;

export const attributes = z
  .record(z.string(), z.string())
  .exactOptional()
  .describe(
    "The attributes of the image: the named groups of its patterns, `tag`, and the repository as `name`. Absent if no pattern names a group.",
  );

export const newerSkipped = part({
  count: count.describe("The number of skipped tags. 10 means 10 or more."),
  reason: z.enum(skipReasonNames).describe("The most frequent reason."),
  tags: list(z.string()).exactOptional().describe("At most three of the tags, the highest first."),
}).describe("The newer tags that the policy skipped for their form. Absent if it skipped none.");

export const suggestedAnnotations = z
  .record(z.string(), z.string())
  .exactOptional()
  .describe("Annotations that would follow the tags of the repository. Absent if none would help.");

const OriginView = part({
  source: z.string().exactOptional().describe("The repository on a known code host: `https://github.com/acme/api`."),
  revision: z.string().exactOptional().describe("The commit."),
  version: z.string().exactOptional(),
}).describe("The origin of an image, by its own labels or annotations. Nothing proves it.");

export const whatChanged = view("WhatChanged", "The origins of the replaced and the new image.", {
  url: z
    .string()
    .exactOptional()
    .describe("The page with the commits between the images, or with the only known commit. Absent for other hosts."),
  from: OriginView.exactOptional().describe("The origin of the replaced image. Absent if it is unknown."),
  to: OriginView.describe("The origin of the new image."),
});
/** The origins of the replaced and the new image. */
export type WhatChangedView = z.output<typeof whatChanged>;

export const ImageView = view("Image", "A running or desired image of a container.", {
  container: z.string(),
  image: z.string().describe("The text of the image field in the manifest."),
  imageName: z.string().describe("The registry and the repository: `docker.io/library/nginx`."),
  tag: z.string().exactOptional(),
  digest: z.string().exactOptional(),
  policy: z
    .string()
    .exactOptional()
    .describe("The policy of the container. Absent for a container that is not tracked."),
  available: z
    .string()
    .exactOptional()
    .describe("The newest available tag, for a pinned container. Absent if no tag is newer."),
  newerSkipped: newerSkipped.exactOptional(),
  suggestedAnnotations,
  attributes,
  whatChanged: whatChanged
    .exactOptional()
    .describe("Absent for a running image, and if the new image states no origin."),
});
/** A running or desired image of a container. */
export type ImageView = z.output<typeof ImageView>;

const PendingView = part({
  update: count.describe("The number of the update."),
  images: list(part({ container: z.string(), imageName: z.string(), tag: z.string(), digest: z.string() })),
});

const problemMembers = {
  etag: z.string().exactOptional().describe("The current uid/version of the workload, for If-Match."),
  pending: PendingView.exactOptional().describe("The workload's update that waits now. Absent if no update waits."),
  deciders: list(z.string()).exactOptional().describe("The people who may decide about the workload."),
};

export const ProblemView = view("Problem", "The reason why Lookout refused a request: a problem of RFC 9457.", {
  type: z.string().describe("A tag URI that contains the code."),
  title: z.string().describe("The meaning of the code, in a sentence."),
  status: z.int().describe("The HTTP status."),
  detail: z.string().describe("The fault of this request."),
  code: z.enum(refusalCodes),
  remedy: z.string().describe("The step that helps."),
  ...problemMembers,
});
/** The reason why Lookout refused a request: a problem of RFC 9457. */
export type ProblemView = z.output<typeof ProblemView>;
/** The members of a problem that describe the named workload. */
export type ProblemMembers = Pick<ProblemView, keyof typeof problemMembers>;

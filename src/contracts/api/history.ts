import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { proofKinds } from "#domain/approval/people";
import { actionNames } from "#domain/update/state/action";
import { endings } from "#domain/update/state/workload";
import { answered } from "./operation.ts";
import { correlationId, count, instant, list, next, page, part, ReasonView, view, whatChanged } from "./schema.ts";

const workload = z.string().describe("cluster/namespace/kind/name");

const HistoryImage = part({
  container: z.string().exactOptional(),
  imageName: z.string(),
  tag: z.string(),
  digest: z.string(),
  whatChanged: whatChanged.exactOptional().describe("Absent if the image states no origin."),
});

const HistoryRow = part({
  id: z.string().describe("The identity of what happened. `of` takes it."),
  at: instant,
  what: z
    .string()
    .describe("The act of a person, or the end of an update. With `of`, also the other decisions about an update."),
  by: z.string().exactOptional().describe("The person. Absent if Lookout decided."),
  provedBy: z
    .enum(proofKinds)
    .exactOptional()
    .describe("How the name was proved. Absent if only the request named the person."),
  why: z.string().exactOptional().describe("The person's reason."),
  ended: z.enum(endings).exactOptional().describe("How the update ended. Absent if no update ended."),
  workload: workload.exactOptional(),
  scope: z.string().exactOptional().describe("The part of the fleet: `*`, CLUSTER or CLUSTER/NAMESPACE."),
  subject: z.string().exactOptional().describe("The digest, token or installation that the act is about."),
  update: count.exactOptional().describe("The number of the update."),
  images: list(HistoryImage),
  reasons: list(ReasonView).describe("Why the update ended or waits."),
  detail: z.string().exactOptional(),
  correlationId,
});

export const HistoryView = view("History", "Acts of people and ended updates, the newest first.", {
  at: instant,
  rows: list(HistoryRow),
  next,
});
/** Acts of people and ended updates, the newest first. */
export type HistoryView = z.output<typeof HistoryView>;

const RunView = part({
  workload,
  container: z.string(),
  imageName: z.string(),
  tag: z.string().exactOptional(),
  digest: z.string().exactOptional().describe("Absent while the digest is unknown."),
  since: instant.describe("Since when the container runs the image, as far as Lookout knows."),
  until: instant.exactOptional().describe("Absent while the container runs the image."),
  update: count.exactOptional().describe("The update that brought the image. Absent if Lookout did not bring it."),
  approvedBy: list(z.string()).exactOptional(),
});

export const ImagesView = view("Images", "Which workload runs which image, sorted by image.", {
  at: instant,
  images: list(RunView),
  next,
});
/** Which workload runs which image, sorted by image. */
export type ImagesView = z.output<typeof ImagesView>;

const DigestStep = part({
  at: instant.exactOptional().describe("Absent if the time is not stored."),
  what: z.enum(["pushed", "seen", "selected", "approved", "blocked", "quarantined"]),
  image: z.string().exactOptional().describe("The image with its tag."),
  workload: workload.exactOptional(),
  update: count.exactOptional(),
  by: z.string().exactOptional(),
  why: z.string().exactOptional(),
});

export const DigestView = view("Digest", "Who runs a digest, who ran it, and how it came there.", {
  at: instant.describe("The time of which `runs` tells."),
  digest: z.string(),
  images: list(z.string()).describe("The images with their tags that had this digest."),
  runs: list(RunView).describe("The containers that ran the digest at this time, sorted by workload."),
  ran: list(RunView).describe("All other runs of the digest, the newest first."),
  path: list(DigestStep).describe("How the digest came here, the oldest step first."),
});
/** Who runs a digest, who ran it, and how it came there. */
export type DigestView = z.output<typeof DigestView>;

const when = z.iso.datetime({ offset: true }).optional();

export const HistoryQuery = z.strictObject({
  since: when.describe("Only rows from this time on. Default: all that is kept, 400 days."),
  until: when.describe("Only rows before this time."),
  by: z.string().min(1).max(200).optional().describe("Only acts of this person."),
  what: z
    .enum([...actionNames, ...endings])
    .optional()
    .describe("Only this act, or this end of updates."),
  of: z
    .string()
    .min(1)
    .max(2_000)
    .optional()
    .describe(
      "Everything about one thing: the id of an event, of a row or of a push, a whole digest, a workload, or an update as `cluster/namespace/kind/name#17`.",
    ),
  ...page,
});
/** A part of the history. */
export type HistoryQuery = z.output<typeof HistoryQuery>;

export const ImagesQuery = z.strictObject({
  q: z.string().min(1).max(500).optional().describe("Only images whose name and tag contain this text."),
  ...page,
});
/** The filter and the page of running images. */
export type ImagesQuery = z.output<typeof ImagesQuery>;

export const historyOperations = {
  listHistory: createRoute({
    method: "get",
    path: "/v1/history",
    summary: "lists acts of people and ended updates, the newest first",
    request: { query: HistoryQuery },
    responses: answered(HistoryView, 400, 404),
  }),
  listImages: createRoute({
    method: "get",
    path: "/v1/images",
    summary: "lists which workload runs which image, and since when",
    request: { query: ImagesQuery },
    responses: answered(ImagesView, 400),
  }),
  readDigest: createRoute({
    method: "get",
    path: "/v1/digests/{digest}",
    summary: "tells who runs a digest, who ran it, and how it came there",
    request: {
      params: z.object({ digest: z.string().describe("The digest, or its first 12 or more digits.") }),
      query: z.strictObject({ at: when.describe("The time of `runs`. Default: now.") }),
    },
    responses: answered(DigestView, 400, 404),
  }),
} as const;

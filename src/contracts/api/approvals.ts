import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { hasControls } from "#domain/shared/shown-text";
import { answered, body, bodyIfAny } from "./operation.ts";
import { by, count, instant, list, named, next, page, part, ProblemView, ReasonView, request, view } from "./schema.ts";
import { TokenView } from "./tokens.ts";
import { MissingApprovals, WorkloadPath, workloadPath } from "./workloads.ts";

const workload = z.string().describe("cluster/namespace/kind/name");
const hash = z
  .string("expected 64 hexadecimal digits")
  .regex(/^[0-9a-f]{64}$/, "expected 64 hexadecimal digits")
  .describe("The SHA-256 hash of uid, update, images and gating settings. The list of approvals shows it.");
const person = z.string().describe("The name of a person in lookout.yaml.");

const ApprovalImage = part({
  container: z.string(),
  from: z.string().describe("The image that the update replaces."),
  imageName: z.string(),
  tag: z.string(),
  digest: z.string(),
});

export const ApprovalView = view("Approval", "An update that waits for approval.", {
  workload,
  uid: z.string(),
  version: count.describe("The version of the record. A vote names uid/version in If-Match."),
  update: count.describe("The number of the update."),
  images: list(ApprovalImage),
  bindingHash: hash,
  requestedAt: instant,
  until: instant.exactOptional().describe("The time at which the update expires. Absent if the update never expires."),
  isExpired: z.boolean().describe("True if the time for approval is over. Approval can be requested again."),
  approvedBy: list(person),
  voidVotes: list(person).describe("The people whose votes cover other images or settings, and so don't count."),
  missing: list(MissingApprovals).describe(
    "The missing approvals. Empty if the update has all approvals, and waits for something else.",
  ),
  deciders: list(person).describe("The people who may approve or reject the update."),
  waitsForMe: z.boolean().describe("True if the caller may decide, and has not approved the update."),
  reasons: list(ReasonView).describe("All reasons why the update waits."),
  labels: z.record(z.string(), z.string()).describe("The labels of the workload."),
});
/** An update that waits for approval. */
export type ApprovalView = z.output<typeof ApprovalView>;

const judged = {
  workload,
  uid: z.string(),
  version: count.describe("The version of the record. A vote names uid/version in If-Match."),
  update: count.describe("The number of the update."),
  deciders: list(person).describe("The people who may decide about the workload."),
};

export const MayVoteView = named(
  "MayVote",
  "Whether a vote of the caller on an update would count now.",
  z.discriminatedUnion("mayVote", [
    part({ ...judged, mayVote: z.literal(true), images: list(ApprovalImage), bindingHash: hash }),
    part({
      ...judged,
      mayVote: z.literal(false),
      why: ProblemView.describe("The problem with which the vote would be refused."),
    }),
  ]),
);
/** Whether a vote of the caller on an update would count now. */
export type MayVoteView = z.output<typeof MayVoteView>;

export const ApprovalsView = view(
  "Approvals",
  "The updates that wait for approval. Updates that the caller may decide come first.",
  {
    at: instant,
    me: person.exactOptional().describe("The caller. Absent if the caller is no person in lookout.yaml."),
    approvals: list(ApprovalView),
    next,
  },
);
/** The updates that wait for approval. Updates that the caller may decide come first. */
export type ApprovalsView = z.output<typeof ApprovalsView>;

export const MeView = view("Me", "The identity of the caller.", {
  person: person.exactOptional().describe("Absent if the caller is no person in lookout.yaml."),
  provedBy: z.enum(["iam", "token", "nobody"]),
  arn: z.string().exactOptional().describe("The ARN that IAM proved."),
  token: TokenView.exactOptional().describe("The caller's personal token. Absent for another proof."),
});
/** The identity of a request's caller. */
export type MeView = z.output<typeof MeView>;

const aReason = "1 to 500 characters that are not all blank, without control characters";
const why = z
  .string(aReason)
  .max(500, aReason)
  .refine((text) => text.trim() !== "" && !hasControls(text), aReason);
const ofUpdate = {
  update: z.int().min(1).describe("The number of the update."),
  bindingHash: hash,
};

export const ApprovalRequest = request(
  "ApprovalRequest",
  "Approves an update with exactly the listed images and settings.",
  {
    ...ofUpdate,
    why: why.exactOptional(),
  },
);
/** Approves an update with exactly the listed images and settings. */
export type ApprovalRequest = z.output<typeof ApprovalRequest>;

export const RejectionRequest = request("RejectionRequest", "Rejects an update.", { ...ofUpdate, why });
/** Rejects an update. */
export type RejectionRequest = z.output<typeof RejectionRequest>;

export const AskRequest = request("AskRequest", "Requests approval again.", {
  by,
  why: why.exactOptional(),
});

export const VoteView = view("Vote", "A stored vote.", {
  workload,
  update: count,
  person,
  decision: z.enum(["approve", "reject"]),
  at: instant,
  isRepeated: z.boolean().describe("True if an earlier request stored this vote."),
});
/** A stored vote. */
export type VoteView = z.output<typeof VoteView>;

export const AskView = view(
  "AskedApproval",
  "The effect of a new request for approval. Both values are zero or false if nothing was rejected or expired.",
  {
    workload,
    unblocked: count.describe("The number of rejected digests that were unblocked."),
    expired: z.boolean().describe("True if Lookout proposes an expired update again."),
  },
);
/** The effect of a new request for approval. */
export type AskView = z.output<typeof AskView>;

const anEtag = "expected uid/version from the list of approvals";
const VoteHeaders = z.object({
  "if-match": z
    .string(anEtag)
    .regex(/^"?[^"\s]{1,128}\/\d{1,15}"?$/, anEtag)
    .describe("uid/version of the workload. The list of approvals shows both."),
  "idempotency-key": z
    .string()
    .regex(/^[\w-]{1,100}$/, "expected at most 100 letters, digits, dashes and underscores")
    .exactOptional()
    .describe("A key of the client's choice. A repeated request has the same key."),
});

const aNumber = "the number of an update is a whole number from 1";

export const MayVoteQuery = z.strictObject({
  decision: z.enum(["approve", "reject"]).prefault("approve").describe("The decision of the vote."),
  update: z.coerce
    .number<number | string>(aNumber)
    .int(aNumber)
    .min(1, aNumber)
    .optional()
    .describe("The number of the update. Default: the newest update."),
});
/** The vote that a caller asks about. */
export type MayVoteQuery = z.output<typeof MayVoteQuery>;

export const ApprovalsQuery = z.strictObject(page);
/** The filter and the page of a list of approvals. */
export type ApprovalsQuery = z.output<typeof ApprovalsQuery>;

export const approvalOperations = {
  readMe: createRoute({
    method: "get",
    path: "/v1/me",
    summary: "returns the caller's identity",
    responses: answered(MeView),
  }),
  listApprovals: createRoute({
    method: "get",
    path: "/v1/approvals",
    summary: "lists updates that wait for approval",
    request: { query: ApprovalsQuery },
    responses: answered(ApprovalsView, 400),
  }),
  mayVote: createRoute({
    method: "get",
    path: `${workloadPath}/approval`,
    summary: "tells whether a vote of the caller would count, and why not",
    request: { params: WorkloadPath, query: MayVoteQuery },
    responses: answered(MayVoteView, 400, 404),
  }),
  approve: createRoute({
    method: "post",
    path: `${workloadPath}/approval`,
    summary: "approves an update",
    request: { params: WorkloadPath, headers: VoteHeaders, body: body(ApprovalRequest) },
    responses: answered(VoteView, 400, 403, 404, 409, 413),
  }),
  reject: createRoute({
    method: "post",
    path: `${workloadPath}/rejection`,
    summary: "rejects an update, and blocks its digests on the workload",
    request: { params: WorkloadPath, headers: VoteHeaders, body: body(RejectionRequest) },
    responses: answered(VoteView, 400, 403, 404, 409, 413),
  }),
  askForApproval: createRoute({
    method: "post",
    path: `${workloadPath}/approval-request`,
    summary: "requests approval again for a rejected or expired update",
    request: { params: WorkloadPath, body: bodyIfAny(AskRequest) },
    responses: answered(AskView, 400, 403, 404, 413),
  }),
} as const;

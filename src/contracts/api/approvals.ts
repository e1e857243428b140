import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { printableText } from "#domain/shared/shown-text";
import { answered, body, bodyIfAny } from "./operation.ts";
import { count, instant, list, next, page, part, ReasonView, request, view } from "./schema.ts";
import { MissingApprovals, WorkloadPath, workloadPath } from "./workloads.ts";

const workload = z.string().describe("cluster/namespace/kind/name");
const hash = z
  .string("expected 64 hexadecimal digits")
  .regex(/^[0-9a-f]{64}$/, "expected 64 hexadecimal digits")
  .describe("The SHA-256 of uid, update, images and gating settings, as the list of approvals shows it.");
const person = z.string().describe("The name of a person of lookout.yaml.");

const ApprovalImage = part({
  container: z.string(),
  from: z.string().describe("The image that it replaces."),
  repository: z.string(),
  tag: z.string(),
  digest: z.string(),
});

export const ApprovalView = view("Approval", "An update that waits for approval.", {
  workload,
  uid: z.string(),
  version: count.describe("With the uid it is the ETag that a vote names in If-Match: uid/version."),
  update: count.describe("The number of the update."),
  images: list(ApprovalImage),
  bindingHash: hash,
  requestedAt: instant,
  until: instant.exactOptional().describe("When it expires; absent: never."),
  isExpired: z.boolean().describe("True: nobody approved it in time. Approval can be asked for again."),
  approvedBy: list(person),
  voidVotes: list(person).describe("Whose votes are about other images or settings, and don't count."),
  missing: list(MissingApprovals).describe("Empty: it has all approvals, and waits for something else."),
  deciders: list(person).describe("Who may approve or reject it."),
  waitsForMe: z.boolean().describe("True: the caller may decide, and has not approved it."),
  reasons: list(ReasonView).describe("All that it waits for."),
  labels: z.record(z.string(), z.string()).describe("The labels of the workload."),
});
/** An update that waits for approval. */
export type ApprovalView = z.output<typeof ApprovalView>;

export const ApprovalsView = view("Approvals", "The updates that wait for approval: those for the caller first.", {
  at: instant,
  me: person.exactOptional().describe("The caller; absent: nobody of lookout.yaml."),
  approvals: list(ApprovalView),
  next,
});
/** The updates that wait for approval: those for the caller first. */
export type ApprovalsView = z.output<typeof ApprovalsView>;

export const MeView = view("Me", "Who the caller is.", {
  person: person.exactOptional().describe("Absent: nobody of lookout.yaml."),
  provedBy: z.enum(["iam", "token", "nobody"]),
  arn: z.string().exactOptional().describe("The ARN that IAM proved."),
});
/** The caller of a request. */
export type MeView = z.output<typeof MeView>;

const aReason = "1 to 500 characters that are not all blank, without control characters";
const why = z
  .string(aReason)
  .max(500, aReason)
  .refine((text) => text.trim() !== "" && text === printableText(text), aReason);
const ofUpdate = {
  update: z.int().min(1).describe("The number of the update."),
  bindingHash: hash,
};

export const ApprovalRequest = request("ApprovalRequest", "Approves exactly what the caller has seen.", {
  ...ofUpdate,
  why: why.exactOptional(),
});
/** Approves exactly what the caller has seen. */
export type ApprovalRequest = z.output<typeof ApprovalRequest>;

export const RejectionRequest = request("RejectionRequest", "Rejects an update.", { ...ofUpdate, why });
/** Rejects an update. */
export type RejectionRequest = z.output<typeof RejectionRequest>;

export const AskRequest = request("AskRequest", "Asks for approval again.", {
  by: z.string().min(1).max(200).exactOptional().describe("Who wants it. Absent: api."),
});

export const VoteView = view("Vote", "A stored vote.", {
  workload,
  update: count,
  person,
  decision: z.enum(["approve", "reject"]),
  at: instant,
  isRepeated: z.boolean().describe("True: the vote was stored before."),
});
/** A stored vote. */
export type VoteView = z.output<typeof VoteView>;

export const AskView = view(
  "AskedApproval",
  "The request for another approval. It is empty without a rejection or an expiry.",
  {
    workload,
    unblocked: count.describe("How many rejected digests may be proposed again."),
    expired: z.boolean().describe("True: an expired update is proposed anew."),
  },
);
/** The request for another approval. */
export type AskView = z.output<typeof AskView>;

const anEtag = "expected uid/version, as the list of approvals shows it";
const VoteHeaders = z.object({
  "if-match": z
    .string(anEtag)
    .regex(/^"?[^"\s]{1,128}\/\d{1,15}"?$/, anEtag)
    .describe("uid/version of the workload, as the list of approvals shows it."),
  "idempotency-key": z
    .string()
    .regex(/^[\w-]{1,100}$/, "expected at most 100 letters, digits, dashes and underscores")
    .exactOptional()
    .describe("A repeated request has the same key."),
});

export const ApprovalsQuery = z.strictObject(page);
/** Which approvals are asked for, and how many. */
export type ApprovalsQuery = z.output<typeof ApprovalsQuery>;

export const approvalOperations = {
  readMe: createRoute({
    method: "get",
    path: "/v1/me",
    summary: "who the caller is",
    responses: answered(MeView),
  }),
  listApprovals: createRoute({
    method: "get",
    path: "/v1/approvals",
    summary: "the updates that wait for approval",
    request: { query: ApprovalsQuery },
    responses: answered(ApprovalsView, 400),
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
    summary: "asks for approval again after a rejection or an expiry",
    request: { params: WorkloadPath, body: bodyIfAny(AskRequest) },
    responses: answered(AskView, 400, 403, 404, 413),
  }),
} as const;

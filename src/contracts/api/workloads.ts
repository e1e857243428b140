import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { factNames } from "#domain/update/events";
import { gates } from "#domain/gates/index";
import { type TagRejection, tagRejections } from "#domain/shared/reasons";
import { endings } from "#domain/update/states";
import { workloadKinds } from "#domain/workload/kinds";
import { ClusterView } from "./clusters.ts";
import { answered, bodyIfAny, cluster } from "./operation.ts";
import {
  correlationId,
  count,
  ImageView,
  instant,
  limit,
  list,
  next,
  page,
  part,
  ReasonView,
  request,
  view,
} from "./schema.ts";

const workload = z.string().describe("cluster/namespace/kind/name");
const rejectionNames = Object.keys(tagRejections) as [TagRejection, ...TagRejection[]];

export const workloadStates = [
  "up-to-date",
  "held",
  "released",
  "patching",
  "rolling-out",
  "rolling-back",
  "reverted",
  "problem",
] as const;
/** The state of a workload in one word. */
export type WorkloadState = (typeof workloadStates)[number];

export const updateStatuses = ["held", "released", "patching", "rolling-out", "rolling-back", ...endings] as const;

export const UpdateView = view("Update", "An update that is open, or the last that ended.", {
  workload,
  seq: count.describe("Counts the updates of the workload, from 1."),
  status: z.enum(updateStatuses),
  wants: list(ImageView),
  source: z.string().describe("The sender of its notification, or the function that found it."),
  correlationId,
  detectedAt: instant,
  selectedAt: instant,
  patchedAt: instant.exactOptional(),
  runningSince: instant.exactOptional(),
  endedAt: instant.exactOptional(),
  reasons: list(ReasonView),
  detail: z.string().exactOptional().describe("How far it is, or what was found: `2 of 3 pods`, a cause of failure."),
});
/** An update that is open, or the last that ended. */
export type UpdateView = z.output<typeof UpdateView>;

const Problem = part({ key: z.string(), value: z.string(), message: z.string(), closes: z.boolean() });

export const WorkloadView = view("Workload", "A workload, as Lookout last saw it.", {
  workload,
  uid: z.string(),
  version: count,
  state: z
    .enum(workloadStates)
    .describe(
      "held: something is wanted, and waits. reverted: by Lookout because it failed, or by a user. problem: settings that can't be understood, or a registry that can't be asked.",
    ),
  runs: list(ImageView),
  wants: list(ImageView).describe("The desired images that do not run yet."),
  reasons: list(ReasonView).describe("All closed gates and other reasons of the wait."),
  problems: list(Problem).describe("Annotations that can't be understood, or are not used."),
  active: UpdateView.exactOptional(),
  pending: UpdateView.exactOptional(),
  last: UpdateView.exactOptional(),
  changedAt: instant,
  lastSyncAt: instant.exactOptional().describe("When its cluster was synced last; absent before the first sync."),
});
/** A workload, as Lookout last saw it. */
export type WorkloadView = z.output<typeof WorkloadView>;

export const WorkloadsView = view("Workloads", "The workloads that are tracked, sorted by name, and the clusters.", {
  at: instant,
  workloads: list(WorkloadView),
  clusters: list(ClusterView),
  next,
});
/** A page of the workloads that are tracked, sorted by name, and the clusters. */
export type WorkloadsView = z.output<typeof WorkloadsView>;

export const GateView = part({
  gate: z.enum(gates),
  open: z.boolean(),
  detail: z.string().exactOptional(),
  why: ReasonView.exactOptional(),
}).describe("The answer of a gate now.");
/** The current answer of a gate. */
export type GateView = z.output<typeof GateView>;

export const SelectionView = part({
  container: z.string(),
  policy: z.string(),
  outcome: z.enum(["selected", "unchanged", "none"]),
  tag: z.string().exactOptional(),
  why: ReasonView.exactOptional(),
  tags: count.exactOptional().describe("How many tags the repository has; absent when it was not listed."),
  rejected: list(part({ tag: z.string(), reason: z.enum(rejectionNames) })),
}).describe("The selection of a policy among a repository's tags now.");
/** The current selection of a policy. */
export type SelectionView = z.output<typeof SelectionView>;

/** A quorum that is not reached. */
export const MissingApprovals = part({
  more: count.describe("How many more people must approve."),
  people: list(z.string()).describe("Who may still approve."),
});

export const ApprovalVotesView = view("ApprovalVotes", "Who voted on an update, and what is missing.", {
  update: count,
  requestedAt: instant,
  until: instant.exactOptional().describe("When it expires; absent: never."),
  isExpired: z.boolean().describe("True: nobody approved it in time. Approval can be asked for again."),
  votes: list(
    part({
      person: z.string(),
      decision: z.enum(["approve", "reject"]),
      provedBy: z.enum(["iam", "token", "annotation"]),
      at: instant,
      why: z.string().exactOptional(),
      counts: z.boolean().describe("False: the vote is about other images or settings, or its person may not decide."),
    }),
  ).describe("The newest vote of each person, the oldest first."),
  missing: list(MissingApprovals).describe("Empty: it has all approvals."),
  deciders: list(z.string()).describe("Who may approve or reject it."),
});
/** The votes on an update, and the missing ones. */
export type ApprovalVotesView = z.output<typeof ApprovalVotesView>;

export const ExplanationView = view(
  "Explanation",
  "Why a workload runs its present images, and what another image would need.",
  {
    at: instant,
    workload: WorkloadView,
    selections: list(SelectionView),
    gates: list(GateView).describe("The gates of the desired images, in their order, or of any update."),
    notices: list(z.string()).describe("Remarks for the next update, in sentences."),
    approval: ApprovalVotesView.exactOptional().describe("Absent: the desired images need no approval."),
    hold: part({ seq: count, at: instant, detail: z.string() }).exactOptional(),
    blocked: list(part({ tag: z.string(), digest: z.string(), seq: count, at: instant, why: ReasonView })),
  },
);
/** Why a workload runs what it runs, and what would have to be so for it to run something else. */
export type ExplanationView = z.output<typeof ExplanationView>;

export const DecisionView = part({
  at: instant,
  seq: count.describe("The update; 0: of the workload, before any update."),
  version: count,
  what: z.string(),
  fact: z.enum(factNames),
  images: list(ImageView),
  reasons: list(ReasonView),
  detail: z.string().exactOptional(),
  cause: z.string(),
  correlationId,
}).describe("One row of a workload's history.");
/** One row of a workload's history. */
export type DecisionView = z.output<typeof DecisionView>;

export const DecisionsView = view("Decisions", "The history of a workload, the newest first.", {
  workload,
  decisions: list(DecisionView),
});
/** The history of a workload, the newest first. */
export type DecisionsView = z.output<typeof DecisionsView>;

export const UpdatesView = view(
  "Updates",
  "Every update that is open, and the last that ended of each workload, the newest first.",
  { at: instant, updates: list(UpdateView), next },
);
/**
 * A page of every update that is open, and the last that ended of each workload, the newest first.
 */
export type UpdatesView = z.output<typeof UpdatesView>;

export const UpdateHistoryView = view("UpdateHistory", "One update, as far as the workload's history goes back.", {
  workload,
  seq: count,
  update: UpdateView.exactOptional().describe("Its current state; absent when a later one has ended since."),
  decisions: list(DecisionView).describe("The decisions about it, the newest first."),
});
/** One update, as far as the workload's history goes back. */
export type UpdateHistoryView = z.output<typeof UpdateHistoryView>;

export const UnblockView = view("Unblock", "The hold and the digests that were unblocked.", {
  workload,
  hold: z.boolean(),
  blocked: count,
  rejected: count.describe("The rejected digests that stay blocked: only who may decide unblocks them."),
});
/** What was unblocked. */
export type UnblockView = z.output<typeof UnblockView>;

export const UnblockRequest = request("UnblockRequest", "Lifts what holds a workload.", {
  by: z.string().min(1).max(200).exactOptional().describe("Who wants it. Absent: api."),
});
/** The request to unblock a workload. */
export type UnblockRequest = z.output<typeof UnblockRequest>;

/*
 * The query parameters of a path. An unknown word is refused: a misspelt filter would show too
 * much.
 */

export const WorkloadsQuery = z.strictObject({
  ...page,
  state: z.enum(workloadStates).optional().describe("Only those in this state."),
});
/** Which workloads are asked for, and how many. */
export type WorkloadsQuery = z.output<typeof WorkloadsQuery>;

export const UpdatesQuery = z.strictObject({
  ...page,
  status: z.enum(updateStatuses).optional().describe("Only those in this status."),
});
/** Which updates are asked for, and how many. */
export type UpdatesQuery = z.output<typeof UpdatesQuery>;

export const DecisionsQuery = z.strictObject({
  limit: limit(100),
  since: z.iso.datetime({ offset: true }).optional().describe("Only decisions of this instant and later."),
});
/** The start of a history. `since` is an RFC 3339 instant with any offset. */
export type DecisionsQuery = z.output<typeof DecisionsQuery>;

/** The parameters of a path that name a workload. */
export const WorkloadPath = z.object({
  cluster,
  namespace: z.string().describe("The workload's namespace."),
  kind: z.string().describe(`One of: ${workloadKinds.join(", ").toLowerCase()}.`),
  name: z.string().describe("The workload's name."),
});
/** The path of one workload. */
export const workloadPath = "/v1/workloads/{cluster}/{namespace}/{kind}/{name}";
const aSeq = "the number of an update is a whole number from 1";

export const workloadOperations = {
  listWorkloads: createRoute({
    method: "get",
    path: "/v1/workloads",
    summary: "the tracked workloads, and all clusters",
    request: { query: WorkloadsQuery },
    responses: answered(WorkloadsView, 400),
  }),
  readWorkload: createRoute({
    method: "get",
    path: workloadPath,
    summary: "one workload",
    request: { params: WorkloadPath },
    responses: answered(WorkloadView, 400, 404),
  }),
  explainWorkload: createRoute({
    method: "get",
    path: `${workloadPath}/explanation`,
    summary: "every gate, the selected tags, every rejected tag",
    request: { params: WorkloadPath },
    responses: answered(ExplanationView, 400, 404),
  }),
  readDecisions: createRoute({
    method: "get",
    path: `${workloadPath}/decisions`,
    summary: "the decisions about a workload, the newest first",
    request: { params: WorkloadPath, query: DecisionsQuery },
    responses: answered(DecisionsView, 400, 404),
  }),
  readUpdate: createRoute({
    method: "get",
    path: `${workloadPath}/updates/{seq}`,
    summary: "one update, from the last 1000 decisions",
    request: {
      params: WorkloadPath.extend({
        seq: z.coerce.number(aSeq).int(aSeq).min(1, aSeq).describe("The number of an update, from 1."),
      }),
    },
    responses: answered(UpdateHistoryView, 400, 404),
  }),
  unblockWorkload: createRoute({
    method: "post",
    path: `${workloadPath}/unblock`,
    summary: "ends the hold after a revert, and unblocks digests",
    request: { params: WorkloadPath, body: bodyIfAny(UnblockRequest) },
    responses: answered(UnblockView, 400, 404, 409, 413),
  }),
  listUpdates: createRoute({
    method: "get",
    path: "/v1/updates",
    summary: "open updates, and the last finished one of each workload",
    request: { query: UpdatesQuery },
    responses: answered(UpdatesView, 400),
  }),
} as const;

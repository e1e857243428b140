import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { factNames } from "#domain/update/events";
import { gates } from "#domain/gates/index";
import { type TagRejection, tagRejections } from "#domain/shared/reasons";
import { didYouMean, nearest } from "#domain/shared/nearest";
import { printableText, shortened } from "#domain/shared/shown-text";
import { endings } from "#domain/update/state/workload";
import { workloadKinds } from "#domain/workload/kinds";
import { ReloadView } from "./process.ts";
import { ClusterView } from "./clusters.ts";
import { answered, bodyIfAny, cluster } from "./operation.ts";
import {
  by,
  correlationId,
  count,
  ImageView,
  instant,
  limit,
  list,
  newerSkipped,
  next,
  page,
  part,
  ReasonView,
  request,
  suggestedAnnotations,
  view,
  why,
} from "./schema.ts";

const workload = z.string().describe("cluster/namespace/kind/name");
const rejectionNames = Object.keys(tagRejections) as [TagRejection, ...TagRejection[]];

export const workloadStates = [
  "up-to-date",
  "newer-skipped",
  "held",
  "released",
  "patching",
  "rolling-out",
  "rolling-back",
  "suspended",
  "reverted",
  "kept",
  "blocked",
  "problem",
  "removed",
] as const;
/** The state of a workload in one word. */
export type WorkloadState = (typeof workloadStates)[number];

/** The orders of a list of workloads. */
export const workloadOrders = ["name", "state", "since"] as const;

/** Returns the states of a filter: `held,blocked`. */
export function statesIn(text: string): readonly string[] {
  return text.split(",").map((state) => state.trim());
}

function isWorkloadState(text: string): text is WorkloadState {
  return workloadStates.some((state) => state === text);
}

export const updateStatuses = ["held", "released", "patching", "rolling-out", "rolling-back", ...endings] as const;

export const UpdateView = view("Update", "An open update, or the workload's last finished update.", {
  workload,
  seq: count.describe("The number of the update. Each workload counts from 1."),
  status: z.enum(updateStatuses),
  wants: list(ImageView),
  source: z.string().describe("The sender of the push's notification, or the function that found the update."),
  correlationId,
  detectedAt: instant,
  selectedAt: instant,
  patchedAt: instant.exactOptional(),
  runningSince: instant.exactOptional(),
  endedAt: instant.exactOptional(),
  reasons: list(ReasonView),
  detail: z.string().exactOptional().describe("The progress or the cause of failure: `2 of 3 pods`."),
});
/** An open update, or the workload's last finished update. */
export type UpdateView = z.output<typeof UpdateView>;

const Unchecked = part({
  container: z.string(),
  imageName: z.string(),
  registry: z.string().describe("The host of the registry."),
  checkedAt: instant.exactOptional().describe("The time of the last read of the repository. Absent if never read."),
  since: instant.describe("The time of the first failure."),
  why: ReasonView,
});

const Problem = part({ key: z.string(), value: z.string(), message: z.string(), closes: z.boolean() });

export const BlockedView = part({
  containers: list(z.string()).describe("The containers that would get the digest if it were not blocked."),
  imageName: z.string(),
  tag: z.string(),
  digest: z.string(),
  seq: count.describe("The number of the failed, replaced or rejected update."),
  at: instant,
  cause: z.string().describe("The cause of the block: `failed here (rollout failed)`, `rejected by ana at …`."),
  why: ReasonView,
}).describe("A blocked digest that no higher running version has replaced.");
/** A blocked digest that no higher running version has replaced. */
export type BlockedView = z.output<typeof BlockedView>;

export const WorkloadView = view("Workload", "A workload, as Lookout last saw it.", {
  workload,
  uid: z.string(),
  version: count,
  state: z
    .enum(workloadStates)
    .describe(
      "The state is held if an update waits, suspended while a person or an annotation suspends it, reverted after a user reverted an update, and kept while the workload keeps a version that a person requested. The state is blocked after a rollback or rejection, until a higher version runs. The state is problem if an annotation is invalid, or if a repository could not be read. The state is removed if the workload's cluster is no longer configured.",
    ),
  runs: list(ImageView),
  wants: list(ImageView).describe("The desired images that do not run yet."),
  blocked: list(BlockedView).describe(
    "The blocked digests that the workload would get otherwise, the last blocked one first. A digest is in the list until a higher version runs.",
  ),
  reasons: list(ReasonView).describe("All closed gates and other reasons of the wait."),
  problems: list(Problem).describe("The invalid or unused annotations."),
  observes: z
    .string()
    .exactOptional()
    .describe(
      "The rule by which Lookout only observes the workload: `mode: observe of cluster prod`. Absent if Lookout updates it.",
    ),
  active: UpdateView.exactOptional(),
  pending: UpdateView.exactOptional(),
  last: UpdateView.exactOptional(),
  changedAt: instant,
  lastSyncAt: instant.exactOptional().describe("The time of the cluster's last sync. Absent before the first sync."),
  checkedAt: instant
    .exactOptional()
    .describe(
      "The time of the last whole check: the oldest of the cluster's last sync and the last reads of the repositories of the tracked containers. Absent if one of them was never read.",
    ),
  unchecked: list(Unchecked)
    .exactOptional()
    .describe("The tracked containers whose repository could not be read. Absent if there are none."),
});
/** A workload, as Lookout last saw it. */
export type WorkloadView = z.output<typeof WorkloadView>;

export const WorkloadRowView = view("WorkloadRow", "A workload in a list. It may be some seconds old.", {
  workload,
  labels: z.record(z.string(), z.string()).exactOptional().describe("Labels of the object. Absent if it has none."),
  runs: list(ImageView).describe("The running images, at most 20."),
  wants: list(ImageView).describe("The desired images that do not run yet."),
  state: z.enum(workloadStates),
  why: ReasonView.exactOptional().describe("The first reason of the wait. Absent if nothing waits."),
  reasonCount: count.describe("The number of all reasons of the wait."),
  until: instant.exactOptional().describe("The time at which the first reason ends. Absent if no time ends it."),
  since: instant.describe("The start of the state."),
  version: count.describe("The version of the workload at which this row last changed."),
  containers: count.exactOptional().describe("The number of containers. Absent if `runs` has all of them."),
  observes: z.string().exactOptional().describe("The rule by which Lookout only observes the workload."),
});
/** A workload in a list. */
export type WorkloadRowView = z.output<typeof WorkloadRowView>;

const UnreadableView = part({
  kind: z.string().describe("The kind of the stored item."),
  workload: z.string().exactOptional().describe("The workload of a record. Absent for another item."),
  why: z.string().describe('The cause, after the name of the item: `is damaged: its member "uid" is missing`.'),
}).describe("A stored item that can't be read.");
/** A stored item that can't be read. */
export type UnreadableView = z.output<typeof UnreadableView>;

export const WorkloadsView = view("Workloads", "A page of tracked workloads, and all clusters.", {
  at: instant,
  workloads: list(WorkloadView).describe("The workloads of the page. Empty for `view=row`."),
  rows: list(WorkloadRowView).describe("The rows of the page for `view=row`. Otherwise empty."),
  total: count.describe("The number of workloads that fit the query, on all pages."),
  counts: z
    .partialRecord(z.enum(workloadStates), count)
    .describe("The number of workloads in each state that fit the query without its `state`."),
  clusters: list(ClusterView),
  unreadable: list(UnreadableView)
    .exactOptional()
    .describe(
      "The workloads of this page whose record can't be read, also untracked workloads. The first page also has the other items that Lookout could not read for this answer. Absent if there are none.",
    ),
  reloads: list(ReloadView)
    .exactOptional()
    .describe(
      "The changed files that are not in force as they are, only on the first page. Absent if there are none, and for a token with a scope.",
    ),
  next,
});
/** A page of tracked workloads, and all clusters. */
export type WorkloadsView = z.output<typeof WorkloadsView>;

export const GateView = part({
  gate: z.enum(gates),
  open: z.boolean(),
  detail: z.string().exactOptional(),
  why: ReasonView.exactOptional(),
}).describe("The current answer of a gate.");
/** The current answer of a gate. */
export type GateView = z.output<typeof GateView>;

export const SelectionView = part({
  container: z.string(),
  policy: z.string(),
  outcome: z.enum(["selected", "unchanged", "none"]),
  tag: z.string().exactOptional(),
  digest: z
    .string()
    .exactOptional()
    .describe("The digest that the container would get, also of the running tag. Absent if it would get no image."),
  why: ReasonView.exactOptional(),
  tags: count.exactOptional().describe("The number of the repository's tags. Absent if the tags were not listed."),
  rejected: list(
    part({
      tag: z.string(),
      reason: z.enum(rejectionNames),
      detail: z.string().exactOptional().describe("The artifact that the tag holds. Absent for an image."),
      until: instant.exactOptional().describe("The time at which the tag is old enough. Absent for another reason."),
    }),
  ),
  kept: part({
    as: z.enum(["set", "rollback"]),
    by: z.string(),
    why: z.string(),
    at: instant,
    newest: z.string().exactOptional().describe("The newest tag at that time. Absent if the image had no tag."),
    left: list(z.string())
      .exactOptional()
      .describe(
        "The tags that existed at that time and that the policy prefers. Any other tag that the policy prefers ends the request. Absent if only a tag above the newest one ends it.",
      ),
  })
    .exactOptional()
    .describe("The request of the person whose version the container keeps. Absent if its policy decides."),
  newerSkipped: newerSkipped.exactOptional(),
  suggestedAnnotations,
  asked: part({ tag: z.string(), reason: z.enum(rejectionNames).exactOptional() })
    .exactOptional()
    .describe(
      "The policy's answer about the tag of the query, as if the repository had the tag. The reason is absent if the policy allows the tag. Absent without a tag in the query.",
    ),
}).describe("The policy's current selection among a repository's tags.");
/** The policy's current selection among a repository's tags. */
export type SelectionView = z.output<typeof SelectionView>;

/** The approvals that are missing for one quorum. */
export const MissingApprovals = part({
  more: count.describe("The number of people who still must approve."),
  people: list(z.string()).describe("The people who may still approve."),
});

export const ApprovalVotesView = view("ApprovalVotes", "The votes on an update, and the missing approvals.", {
  update: count,
  requestedAt: instant,
  until: instant.exactOptional().describe("The time at which the update expires. Absent if the update never expires."),
  isExpired: z.boolean().describe("True if the time for approval is over. Approval can be requested again."),
  votes: list(
    part({
      person: z.string(),
      decision: z.enum(["approve", "reject"]),
      provedBy: z.enum(["iam", "token", "annotation"]),
      at: instant,
      why: z.string().exactOptional(),
      counts: z
        .boolean()
        .describe(
          "False if the vote is about other images or settings, if its person may not decide, or if an annotation does not count.",
        ),
    }),
  ).describe("The newest vote of each person, the oldest first."),
  missing: list(MissingApprovals).describe("The missing approvals. Empty if the update has all approvals."),
  deciders: list(z.string()).describe("The people who may approve or reject the update."),
});
/** The votes on an update, and the missing approvals. */
export type ApprovalVotesView = z.output<typeof ApprovalVotesView>;

export const ExplanationView = view(
  "Explanation",
  "The reasons why a workload runs its present images, and the conditions for other images.",
  {
    at: instant,
    workload: WorkloadView,
    selections: list(SelectionView),
    gates: list(GateView).describe("The answers of all gates, in the order of evaluation."),
    baseImages: list(
      part({
        image: z.string().describe("The image as one text: `docker.io/library/node:22`."),
        digest: z.string().exactOptional().describe("The last known digest of the tag. Absent if it was never read."),
        problem: z.string().exactOptional().describe("Why the digest can't be read now. Absent if it can."),
      }),
    )
      .exactOptional()
      .describe("The images from which the workload's images are built. Absent if the workload names none."),
    notices: list(z.string()).describe("Remarks about the next update, in sentences."),
    approval: ApprovalVotesView.exactOptional().describe("Absent if the desired images need no approval."),
    hold: part({ seq: count, at: instant, detail: z.string() }).exactOptional(),
  },
);
/** The reasons why a workload runs its present images, and the conditions for other images. */
export type ExplanationView = z.output<typeof ExplanationView>;

export const DecisionView = part({
  at: instant,
  seq: count.describe("The number of the update. The number is 0 before the first update."),
  version: count,
  what: z.string(),
  fact: z.enum(factNames),
  images: list(ImageView),
  reasons: list(ReasonView),
  detail: z.string().exactOptional(),
  cause: z.string(),
  correlationId,
  isImported: z.literal(true).exactOptional().describe("True if an import brought the row, so nothing proves it."),
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
  "All open updates and the last finished update of each workload, the newest first.",
  { at: instant, updates: list(UpdateView), next },
);
/** A page of all open updates and the last finished update of each workload, the newest first. */
export type UpdatesView = z.output<typeof UpdatesView>;

export const UpdateHistoryView = view(
  "UpdateHistory",
  "One update, with its decisions among the workload's last 1000.",
  {
    workload,
    seq: count,
    update: UpdateView.exactOptional().describe("The current state of the update. Absent if a later update has ended."),
    decisions: list(DecisionView).describe("The decisions about the update, the newest first."),
  },
);
/** One update, with its decisions among the workload's last 1000. */
export type UpdateHistoryView = z.output<typeof UpdateHistoryView>;

const HeldDigestView = part({ imageName: z.string(), tag: z.string(), digest: z.string() });

export const UnblockView = view("Unblock", "The effect of unblocking a workload.", {
  workload,
  hold: z.boolean().describe("True if the hold has ended."),
  blocked: count.describe("The number of digests that may be tried again."),
  digests: list(HeldDigestView).describe("The digests that may be tried again."),
  rejected: count.describe(
    "The number of rejected digests that stay blocked. Only a person who may decide can unblock them.",
  ),
  left: part({
    hold: z.boolean().describe("True if the workload still has a hold."),
    digests: list(HeldDigestView).describe("The digests that stay blocked."),
  }),
});
/** The effect of unblocking a workload. */
export type UnblockView = z.output<typeof UnblockView>;

export const UnblockRequest = request(
  "UnblockRequest",
  "Ends the hold of a workload, and unblocks digests. The request may name one of both.",
  {
    by,
    digest: z
      .string()
      .min(1)
      .max(200)
      .exactOptional()
      .describe("Only this digest: the digest, its first 12 or more digits, or a tag that names one blocked digest."),
    hold: z.literal(true).exactOptional().describe("Only the hold."),
    why,
  },
);
/** Ends the hold of a workload, and unblocks digests. */
export type UnblockRequest = z.output<typeof UnblockRequest>;

/*
 * The query parameters of operations. Unknown parameters are refused, because a misspelt filter
 * would show too much.
 */

export const WorkloadsQuery = z.strictObject({
  ...page,
  state: z
    .string()
    .superRefine((text, context) => {
      const unknown = statesIn(text).find((state) => !isWorkloadState(state));
      if (unknown === undefined) return;
      const shown = printableText(shortened(unknown, 100));
      context.addIssue(
        `no state is called "${shown}"${didYouMean(nearest(unknown, workloadStates))} (${workloadStates.join(", ")})`,
      );
    })
    .optional()
    .describe(`Only workloads in one of these states, with commas between them: ${workloadStates.join(", ")}.`),
  image: z.string().min(1).optional().describe("Only workloads with an image whose name contains this text."),
  q: z.string().min(1).optional().describe("Only workloads whose name contains this text."),
  selector: z
    .string()
    .min(1)
    .optional()
    .describe("Only workloads with these labels, as kubectl writes them: `app=api,tier in (web,db),!canary`."),
  sort: z
    .enum(workloadOrders)
    .prefault("name")
    .describe("The order: by name, by state with those that need attention first, or by the start of the state."),
  view: z
    .enum(["row", "whole"])
    .prefault("whole")
    .describe("`row` answers with what a list shows, `whole` with all that Lookout knows."),
});
/** The filter and the page of a list of workloads. */
export type WorkloadsQuery = z.output<typeof WorkloadsQuery>;

export const UpdatesQuery = z.strictObject({
  ...page,
  status: z.enum(updateStatuses).optional().describe("Only updates in this status."),
});
/** The filter and the page of a list of updates. */
export type UpdatesQuery = z.output<typeof UpdatesQuery>;

export const DecisionsQuery = z.strictObject({
  limit: limit(100),
  since: z.iso.datetime({ offset: true }).optional().describe("Only decisions from this time on."),
});
/** The page and the start of a history. `since` is an RFC 3339 instant with any offset. */
export type DecisionsQuery = z.output<typeof DecisionsQuery>;

export const ExplanationQuery = z.strictObject({
  tag: z.string().min(1).max(128).optional().describe("A tag that the policies judge, also if no repository has it."),
});

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
    summary: "lists tracked workloads and clusters",
    request: { query: WorkloadsQuery },
    responses: answered(WorkloadsView, 400),
  }),
  readWorkload: createRoute({
    method: "get",
    path: workloadPath,
    summary: "returns one workload",
    request: { params: WorkloadPath },
    responses: answered(WorkloadView, 400, 404),
  }),
  explainWorkload: createRoute({
    method: "get",
    path: `${workloadPath}/explanation`,
    summary: "explains gates, selected tags and rejected tags",
    request: { params: WorkloadPath, query: ExplanationQuery },
    responses: answered(ExplanationView, 400, 404),
  }),
  readDecisions: createRoute({
    method: "get",
    path: `${workloadPath}/decisions`,
    summary: "lists a workload's decisions, the newest first",
    request: { params: WorkloadPath, query: DecisionsQuery },
    responses: answered(DecisionsView, 400, 404),
  }),
  readUpdate: createRoute({
    method: "get",
    path: `${workloadPath}/updates/{seq}`,
    summary: "returns one update, from the last 1000 decisions",
    request: {
      params: WorkloadPath.extend({
        seq: z.coerce.number<number | string>(aSeq).int(aSeq).min(1, aSeq).describe("The number of an update, from 1."),
      }),
    },
    responses: answered(UpdateHistoryView, 400, 404),
  }),
  unblockWorkload: createRoute({
    method: "post",
    path: `${workloadPath}/unblock`,
    summary: "ends the hold after a revert, and unblocks digests",
    request: { params: WorkloadPath, body: bodyIfAny(UnblockRequest) },
    responses: answered(UnblockView, 400, 403, 404, 409, 413),
  }),
  listUpdates: createRoute({
    method: "get",
    path: "/v1/updates",
    summary: "lists open updates and each workload's last finished update",
    request: { query: UpdatesQuery },
    responses: answered(UpdatesView, 400),
  }),
} as const;

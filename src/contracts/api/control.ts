import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { passableGates } from "#domain/workload/control";
import { answered, body } from "./operation.ts";
import { by, count, ImageView, instant, list, part, ReasonView, request, view } from "./schema.ts";
import { UpdateView, WorkloadPath, workloadPath } from "./workloads.ts";

const workload = z.string().describe("cluster/namespace/kind/name");
const why = z.string().trim().min(1).max(500).describe("The reason, for the history.");
const version = z
  .string()
  .min(1)
  .max(200)
  .describe("A tag, a digest, or the first 12 or more digits of a digest that Lookout knows.");
const container = z
  .string()
  .min(1)
  .max(253)
  .exactOptional()
  .describe("The container. Absent: all tracked containers of the workload's only repository.");

export const ControlView = view("Control", "The effect of a person's request on a workload.", {
  at: instant,
  workload,
  changed: z.boolean().describe("False if the workload was already as requested."),
  detail: z.string().describe("What the request did."),
  update: UpdateView.exactOptional().describe("The open update after the request. Absent without one."),
  reasons: list(ReasonView).describe("The reasons why the open update waits now."),
});
/** The effect of a person's request on a workload. */
export type ControlView = z.output<typeof ControlView>;

export const SetRequest = request("SetRequest", "Names a version of a workload, also a lower one.", {
  version,
  container,
  by,
  why,
});
/** Names a version of a workload. */
export type SetRequest = z.output<typeof SetRequest>;

export const RollbackRequest = request("RollbackRequest", "Rolls a workload back, and blocks the version it leaves.", {
  to: version.exactOptional().describe("The version to go back to. Absent: the version before the last update."),
  container,
  by,
  why,
});
/** Rolls a workload back, and blocks the version it leaves. */
export type RollbackRequest = z.output<typeof RollbackRequest>;

export const SkipRequest = request("SkipRequest", "Lets a workload skip a tag, or ends this.", {
  tag: z.string().min(1).max(128),
  until: instant.exactOptional().describe("The end of the skip. Absent: until a person ends it."),
  end: z.literal(true).exactOptional().describe("Ends the skip of the tag."),
  by,
  why,
});
/** Lets a workload skip a tag, or ends this. */
export type SkipRequest = z.output<typeof SkipRequest>;

export const ReasonedRequest = request("ReasonedRequest", "Suspends, resumes or retries the updates of a workload.", {
  by,
  why,
});
/** Suspends, resumes or retries the updates of a workload. */
export type ReasonedRequest = z.output<typeof ReasonedRequest>;

export const ReleaseView = view("Release", "The updates that a release lets go on, sorted by workload.", {
  at: instant,
  scope: z.string(),
  past: list(z.enum(["observe", ...passableGates])),
  dryRun: z.boolean().describe("True if nothing was released."),
  released: list(
    part({
      workload,
      seq: count,
      wants: list(ImageView),
      stillHeldBy: list(ReasonView).describe("The reasons of the gates that were not released."),
    }),
  ).describe("The updates that the named gates no longer hold. Other gates may still hold them."),
  observed: list(workload).describe("The workloads of the scope that stay held, because Lookout still observes them."),
});
/** The updates that a release lets go on. */
export type ReleaseView = z.output<typeof ReleaseView>;

export const ReleaseRequest = request(
  "ReleaseRequest",
  "Lets updates pass gates, with exactly their present digests.",
  {
    scope: z.string().describe("`*` for everything, `CLUSTER`, `CLUSTER/NAMESPACE`, or `cluster/namespace/kind/name`."),
    past: z
      .array(z.string().min(1).max(50))
      .min(1)
      .max(10)
      .readonly()
      .describe(`The gates that no longer hold the updates: observe, or some of ${passableGates.join(", ")}.`),
    by,
    why: why.exactOptional().describe("The reason, for the history. Only observe needs none."),
    dryRun: z.boolean().exactOptional().describe("True: only list the updates. Default: false."),
  },
);
/** Lets updates pass gates. */
export type ReleaseRequest = z.output<typeof ReleaseRequest>;

const ofWorkload = <Schema extends z.ZodType>(schema: Schema) => ({ params: WorkloadPath, body: body(schema) });

export const controlOperations = {
  setVersion: createRoute({
    method: "post",
    path: `${workloadPath}/version`,
    summary: "updates a workload to a named version, also a lower one",
    request: ofWorkload(SetRequest),
    responses: answered(ControlView, 400, 404, 409, 413),
  }),
  rollBack: createRoute({
    method: "post",
    path: `${workloadPath}/rollback`,
    summary: "rolls a workload back, and blocks the version that it leaves",
    request: ofWorkload(RollbackRequest),
    responses: answered(ControlView, 400, 404, 409, 413),
  }),
  skipTag: createRoute({
    method: "post",
    path: `${workloadPath}/skips`,
    summary: "lets a workload skip a tag, or ends this",
    request: ofWorkload(SkipRequest),
    responses: answered(ControlView, 400, 404, 409, 413),
  }),
  suspendWorkload: createRoute({
    method: "post",
    path: `${workloadPath}/suspension`,
    summary: "stops the updates of a workload",
    request: ofWorkload(ReasonedRequest),
    responses: answered(ControlView, 400, 404, 409, 413),
  }),
  resumeWorkload: createRoute({
    method: "post",
    path: `${workloadPath}/resumption`,
    summary: "ends a suspension, a requested version and a hold",
    request: ofWorkload(ReasonedRequest),
    responses: answered(ControlView, 400, 404, 409, 413),
  }),
  retryWorkload: createRoute({
    method: "post",
    path: `${workloadPath}/retry`,
    summary: "unblocks failed digests, and evaluates a workload again",
    request: ofWorkload(ReasonedRequest),
    responses: answered(ControlView, 400, 404, 409, 413),
  }),
  release: createRoute({
    method: "post",
    path: "/v1/releases",
    summary: "lets updates pass gates, with exactly their present digests",
    request: { body: body(ReleaseRequest) },
    responses: answered(ReleaseView, 400, 404, 409, 413),
  }),
} as const;

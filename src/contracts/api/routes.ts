import { createRoute, z } from "@hono/zod-openapi";
import { workloadKinds } from "#domain/workload/kinds";
import { ClusterCheckView, ClusterRequest, ClustersView, ClusterSyncView, ClusterView } from "./clusters.ts";
import { CheckView, DoctorView, ProbeView } from "./doctor.ts";
import { FreezeRequest, FreezesView } from "./freezes.ts";
import { DemoPushRequest, DemoPushView, SettingsView } from "./process.ts";
import { QuarantineRequest, QuarantineView } from "./quarantine.ts";
import { RepositoriesView, SweepRequest, SweepView } from "./repositories.ts";
import { ErrorView } from "./schema.ts";
import { ExportQuery, ExportView, ImportRequest, ImportView } from "./transfer.ts";
import {
  DecisionsQuery,
  DecisionsView,
  ExplanationView,
  UnblockRequest,
  UnblockView,
  UpdateHistoryView,
  UpdatesQuery,
  UpdatesView,
  WorkloadsQuery,
  WorkloadsView,
  WorkloadView,
} from "./workloads.ts";

/** Why a request is not done, by its status. */
const refusals = {
  400: "It was not understood.",
  401: "There is no token, or a wrong one.",
  404: "There is no such thing.",
  409: "Refused by what is so now.",
  413: "The body is over 16 KiB, that of an import over one MiB.",
  501: "This Lookout does not have it.",
  503: "Not just now: it may be asked again.",
} as const;

const json = <Schema extends z.ZodType>(schema: Schema) => ({ "application/json": { schema } });

/** Refusals, of which each request can have 401 (no token, or a wrong one) and 503 (not just now). */
const refused = (...statuses: (keyof typeof refusals)[]) =>
  Object.fromEntries(
    [...statuses, 401 as const, 503 as const].map((status) => [
      status,
      { description: refusals[status], content: json(ErrorView) },
    ]),
  );

const answered = <Schema extends z.ZodType>(schema: Schema, ...statuses: (keyof typeof refusals)[]) => ({
  200: { description: schema.description ?? "", content: json(schema) },
  ...refused(...statuses),
});

const accepted = <Schema extends z.ZodType>(schema: Schema, ...statuses: (keyof typeof refusals)[]) => ({
  202: { description: schema.description ?? "", content: json(schema) },
  ...refused(...statuses),
});

const body = <Schema extends z.ZodType>(schema: Schema) => ({ required: true, content: json(schema) });

/** A body whose absence means one without members. */
const bodyIfAny = <Schema extends z.ZodType>(schema: Schema) => ({ required: false, content: json(schema) });

const aSeq = "the number of an update is a whole number from 1";
const cluster = z.string().describe("What lookout.yaml calls the cluster.");
const ClusterPath = z.object({ cluster });
const WorkloadPath = z.object({
  cluster,
  namespace: z.string().describe("The workload's namespace."),
  kind: z.string().describe(`One of: ${workloadKinds.join(", ").toLowerCase()}.`),
  name: z.string().describe("The workload's name."),
});
const workload = "/v1/workloads/{cluster}/{namespace}/{kind}/{name}";

/**
 * All that `/v1` can be asked, by its `operationId`. src/runtime/api.ts joins each to its use
 * case; the OpenAPI document and the table of docs/api.md are written from this list. A new path
 * is a row here, its use case there, and `npm run generate`.
 */
export const routes = {
  listWorkloads: createRoute({
    method: "get",
    path: "/v1/workloads",
    summary: "the workloads that are tracked, and all clusters",
    request: { query: WorkloadsQuery },
    responses: answered(WorkloadsView, 400),
  }),
  readWorkload: createRoute({
    method: "get",
    path: workload,
    summary: "one of them",
    request: { params: WorkloadPath },
    responses: answered(WorkloadView, 400, 404),
  }),
  explainWorkload: createRoute({
    method: "get",
    path: `${workload}/explanation`,
    summary: "every gate, what its policies select, every rejected tag",
    request: { params: WorkloadPath },
    responses: answered(ExplanationView, 400, 404),
  }),
  readDecisions: createRoute({
    method: "get",
    path: `${workload}/decisions`,
    summary: "its history, the newest first",
    request: { params: WorkloadPath, query: DecisionsQuery },
    responses: answered(DecisionsView, 400, 404),
  }),
  readUpdate: createRoute({
    method: "get",
    path: `${workload}/updates/{seq}`,
    summary: "one of its updates, from its last 1000 decisions",
    request: {
      params: WorkloadPath.extend({
        seq: z.coerce.number(aSeq).int(aSeq).min(1, aSeq).describe("The number of an update, from 1."),
      }),
    },
    responses: answered(UpdateHistoryView, 400, 404),
  }),
  unblockWorkload: createRoute({
    method: "post",
    path: `${workload}/unblock`,
    summary: "ends the hold after a user's rollback, and unblocks digests",
    request: { params: WorkloadPath, body: bodyIfAny(UnblockRequest) },
    responses: answered(UnblockView, 400, 404, 409, 413),
  }),
  listUpdates: createRoute({
    method: "get",
    path: "/v1/updates",
    summary: "every update that is open, and the last that ended of each workload",
    request: { query: UpdatesQuery },
    responses: answered(UpdatesView, 400),
  }),
  listClusters: createRoute({
    method: "get",
    path: "/v1/clusters",
    summary: "all clusters, and what is wrong with each",
    responses: answered(ClustersView),
  }),
  readCluster: createRoute({
    method: "get",
    path: "/v1/clusters/{cluster}",
    summary: "one of them",
    request: { params: ClusterPath },
    responses: answered(ClusterView, 404),
  }),
  addCluster: createRoute({
    method: "post",
    path: "/v1/clusters",
    summary: "registers a cluster of EKS that lets Lookout in",
    request: { body: body(ClusterRequest) },
    responses: answered(ClusterCheckView, 400, 409, 413, 501),
  }),
  removeCluster: createRoute({
    method: "delete",
    path: "/v1/clusters/{cluster}",
    summary: "forgets a cluster that was registered; its workloads take no part any more",
    request: { params: ClusterPath },
    responses: answered(ClustersView, 404, 409, 501),
  }),
  checkCluster: createRoute({
    method: "post",
    path: "/v1/clusters/{cluster}/check",
    summary: "whether it lets Lookout in, and which rights it lacks",
    request: { params: ClusterPath },
    responses: answered(ClusterCheckView, 404),
  }),
  syncCluster: createRoute({
    method: "post",
    path: "/v1/clusters/{cluster}/sync",
    summary: "has it looked at now",
    request: { params: ClusterPath },
    responses: accepted(ClusterSyncView, 404),
  }),
  listRepositories: createRoute({
    method: "get",
    path: "/v1/repositories",
    summary: "every repository that workloads have images of, and what sweeps found",
    responses: answered(RepositoriesView),
  }),
  sweepNow: createRoute({
    method: "post",
    path: "/v1/sweep",
    summary: "sweeps now, all or one; what was found in each",
    request: { body: bodyIfAny(SweepRequest) },
    responses: answered(SweepView, 400, 404, 413),
  }),
  listQuarantine: createRoute({
    method: "get",
    path: "/v1/quarantine",
    summary: "digests that no workload is given",
    responses: answered(QuarantineView),
  }),
  putInQuarantine: createRoute({
    method: "post",
    path: "/v1/quarantine",
    summary: "puts a digest there",
    request: { body: body(QuarantineRequest) },
    responses: answered(QuarantineView, 400, 413),
  }),
  liftQuarantine: createRoute({
    method: "delete",
    path: "/v1/quarantine/{digest}",
    summary: "takes it out",
    request: { params: z.object({ digest: z.string().describe("The whole digest: sha256:…") }) },
    responses: answered(QuarantineView, 404),
  }),
  listFreezes: createRoute({
    method: "get",
    path: "/v1/freezes",
    summary: "what is frozen, and which patches may still land under it",
    responses: answered(FreezesView),
  }),
  freeze: createRoute({
    method: "post",
    path: "/v1/freezes",
    summary: "freezes the fleet, a cluster or a namespace",
    request: { body: body(FreezeRequest) },
    responses: answered(FreezesView, 400, 413),
  }),
  liftFreeze: createRoute({
    method: "delete",
    path: "/v1/freezes/{scope}",
    summary: "lifts exactly that freeze",
    request: {
      params: z.object({
        scope: z.string().describe("*, CLUSTER or CLUSTER/NAMESPACE, with the slash as it is or encoded."),
      }),
    },
    responses: answered(FreezesView, 400, 404, 409),
  }),
  examine: createRoute({
    method: "get",
    path: "/v1/doctor",
    summary: "what Lookout can tell of itself: its table, each registry, and which clusters there are to look at",
    responses: answered(DoctorView),
  }),
  examineCluster: createRoute({
    method: "get",
    path: "/v1/doctor/clusters/{cluster}",
    summary: "whether a cluster answers and lets Lookout in, and what was wrong when it was last looked at",
    request: { params: ClusterPath },
    responses: answered(CheckView, 404),
  }),
  sendSyntheticPush: createRoute({
    method: "post",
    path: "/v1/doctor/probes",
    summary: "tells of a push that nobody has an image of, on the way that pushes take",
    responses: accepted(ProbeView),
  }),
  readProbe: createRoute({
    method: "get",
    path: "/v1/doctor/probes/{probe}",
    summary: "whether it arrived, and when",
    request: { params: z.object({ probe: z.string().describe("The id of a synthetic push.") }) },
    responses: answered(ProbeView),
  }),
  exportState: createRoute({
    method: "get",
    path: "/v1/state",
    summary: "all that is stored, page by page, as lookout export writes it",
    request: { query: ExportQuery },
    responses: answered(ExportView, 400),
  }),
  importState: createRoute({
    method: "post",
    path: "/v1/state",
    summary: "stores lines of an export, where nothing is in their place",
    request: { body: body(ImportRequest) },
    responses: answered(ImportView, 400, 409, 413),
  }),
  readConfiguration: createRoute({
    method: "get",
    path: "/v1/configuration",
    summary: "the settings in effect, and where each is from; secrets are only said to be set",
    responses: answered(SettingsView, 501),
  }),
  followFacts: createRoute({
    method: "get",
    path: "/v1/events",
    summary: "facts as they are told, as server-sent events, until either side ends it",
    responses: {
      200: {
        description: "A stream, the `data` of each event a Fact.",
        content: { "text/event-stream": { schema: { type: "string" } } },
      },
      ...refused(501),
    },
  }),
  readDocument: createRoute({
    method: "get",
    path: "/v1/openapi.json",
    summary: "this API, as an OpenAPI 3.1 document",
    responses: answered(z.looseObject({}).describe("An OpenAPI document.")),
  }),
  pushToDemo: createRoute({
    method: "post",
    path: "/v1/demo/push",
    summary: "pushes to the demo's registry; in the demo alone",
    request: { body: body(DemoPushRequest) },
    responses: accepted(DemoPushView, 400, 404, 413),
  }),
} as const;

/**
 * Those that ask the cluster in their path, so that they are answered from where that cluster can
 * be reached.
 */
export const clusterRoutes = [routes.checkCluster, routes.examineCluster];

import type * as z from "zod";
import { DecisionsQuerySchema, ExportQuerySchema, UpdatesQuerySchema, WorkloadsQuerySchema } from "./api-queries.ts";
import * as schemas from "./api-schemas.ts";
import { clusterRoutes } from "./cluster-routes.ts";
import { CheckSchema, DoctorSchema, EchoSchema } from "./doctor-schemas.ts";
import { FreezeRequestSchema, FreezesSchema } from "./freeze-schemas.ts";
import { ExportSchema, ImportRequestSchema, ImportSchema } from "./transfer-schemas.ts";

/** One thing that the `/v1` API can be asked. */
export interface ApiRoute {
  /** Its `operationId`. */
  readonly name: string;
  readonly method: "GET" | "POST" | "DELETE";
  /** As OpenAPI writes it: `/v1/quarantine/{digest}`. */
  readonly path: string;
  /** What it answers or does, in one line. */
  readonly summary: string;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  readonly bodyMayBeAbsent?: true;
  /** The schema of the answer, and its status: 200 unless told. Of a stream: of the `data` of each event. */
  readonly answer: z.ZodType | "an OpenAPI document";
  readonly status?: 202;
  readonly stream?: true;
  /** It asks the cluster in its path, so that it is answered from where that cluster can be reached. */
  readonly asksCluster?: true;
  /** Refusals beside 401 (no token, or a wrong one) and 503 (not just now), which any of them can have, and 413 of those with a body. */
  readonly refusals: readonly (keyof typeof refusals)[];
}

/** Why a request is not done, by its status. */
export const refusals = {
  400: "It was not understood.",
  401: "There is no token, or a wrong one.",
  404: "There is no such thing.",
  409: "Refused by what is so now.",
  413: "The body is over 16 KiB, that of an import over one MiB.",
  501: "This Lookout does not have it.",
  503: "Not just now: it may be asked again.",
} as const;

const workload = "/v1/workloads/{cluster}/{namespace}/{kind}/{name}";

/** What stands for the parts of a path that change. */
export const pathParameters = {
  cluster: "What lookout.yaml calls the cluster.",
  namespace: "The workload's namespace.",
  kind: "deployment, statefulset, daemonset or cronjob.",
  name: "The workload's name.",
  seq: "The number of an update, from 1.",
  digest: "The whole digest: sha256:…",
  echo: "The id of a synthetic push.",
  scope: "*, CLUSTER or CLUSTER/NAMESPACE, with the slash as it is or encoded.",
} as const;

/**
 * All that `/v1` can be asked. The OpenAPI document and the table of docs/local.md are written from this list, and a test holds the server
 * to it: a new path is a row here, its handler in src/runtime/api.ts, and `npm run generate`.
 */
export const apiRoutes = [
  {
    name: "listWorkloads",
    method: "GET",
    path: "/v1/workloads",
    summary: "the workloads that take part, and all clusters",
    query: WorkloadsQuerySchema,
    answer: schemas.WorkloadsSchema,
    refusals: [400],
  },
  {
    name: "readWorkload",
    method: "GET",
    path: workload,
    summary: "one of them",
    answer: schemas.WorkloadSchema,
    refusals: [400, 404],
  },
  {
    name: "explainWorkload",
    method: "GET",
    path: `${workload}/explanation`,
    summary: "every gate, what its policies elect, every rejected tag",
    answer: schemas.ExplanationSchema,
    refusals: [400, 404],
  },
  {
    name: "readDecisions",
    method: "GET",
    path: `${workload}/decisions`,
    summary: "its history, the newest first",
    query: DecisionsQuerySchema,
    answer: schemas.DecisionsSchema,
    refusals: [400, 404],
  },
  {
    name: "readUpdate",
    method: "GET",
    path: `${workload}/updates/{seq}`,
    summary: "one of its updates, from its last 1000 decisions",
    answer: schemas.UpdateHistorySchema,
    refusals: [400, 404],
  },
  {
    name: "liftWorkload",
    method: "POST",
    path: `${workload}/lift`,
    summary: "lifts the hold after a person's rollback, and refused digests",
    body: schemas.LiftRequestSchema,
    bodyMayBeAbsent: true,
    answer: schemas.LiftSchema,
    refusals: [400, 404, 409],
  },
  {
    name: "listUpdates",
    method: "GET",
    path: "/v1/updates",
    summary: "every update that is open, and the last that ended of each workload",
    query: UpdatesQuerySchema,
    answer: schemas.UpdatesSchema,
    refusals: [400],
  },
  ...clusterRoutes,
  {
    name: "listRepositories",
    method: "GET",
    path: "/v1/repositories",
    summary: "every repository that workloads have images of, and what sweeps found",
    answer: schemas.RepositoriesSchema,
    refusals: [],
  },
  {
    name: "sweepNow",
    method: "POST",
    path: "/v1/sweep",
    summary: "sweeps now, all or one; what was found in each",
    body: schemas.SweepRequestSchema,
    bodyMayBeAbsent: true,
    answer: schemas.SweepSchema,
    refusals: [400, 404],
  },
  {
    name: "listQuarantine",
    method: "GET",
    path: "/v1/quarantine",
    summary: "digests that no workload is given",
    answer: schemas.QuarantineSchema,
    refusals: [],
  },
  {
    name: "putInQuarantine",
    method: "POST",
    path: "/v1/quarantine",
    summary: "puts a digest there",
    body: schemas.QuarantineRequestSchema,
    answer: schemas.QuarantineSchema,
    refusals: [400],
  },
  {
    name: "liftQuarantine",
    method: "DELETE",
    path: "/v1/quarantine/{digest}",
    summary: "takes it out",
    answer: schemas.QuarantineSchema,
    refusals: [404],
  },
  {
    name: "listFreezes",
    method: "GET",
    path: "/v1/freezes",
    summary: "what is frozen, and which patches may still land under it",
    answer: FreezesSchema,
    refusals: [],
  },
  {
    name: "freeze",
    method: "POST",
    path: "/v1/freezes",
    summary: "freezes the fleet, a cluster or a namespace",
    body: FreezeRequestSchema,
    answer: FreezesSchema,
    refusals: [400],
  },
  {
    name: "liftFreeze",
    method: "DELETE",
    path: "/v1/freezes/{scope}",
    summary: "lifts exactly that freeze",
    answer: FreezesSchema,
    refusals: [400, 404, 409],
  },
  {
    name: "examine",
    method: "GET",
    path: "/v1/doctor",
    summary: "what Lookout can tell of itself: its table, each registry, and which clusters there are to look at",
    answer: DoctorSchema,
    refusals: [],
  },
  {
    name: "examineCluster",
    method: "GET",
    path: "/v1/doctor/clusters/{cluster}",
    summary: "whether a cluster answers and lets Lookout in, and what was wrong when it was last looked at",
    answer: CheckSchema,
    refusals: [404],
    asksCluster: true,
  },
  {
    name: "tellSyntheticPush",
    method: "POST",
    path: "/v1/doctor/echoes",
    summary: "tells of a push that nobody has an image of, on the way that pushes take",
    answer: EchoSchema,
    status: 202,
    refusals: [],
  },
  {
    name: "readEcho",
    method: "GET",
    path: "/v1/doctor/echoes/{echo}",
    summary: "whether it arrived, and when",
    answer: EchoSchema,
    refusals: [],
  },
  {
    name: "exportState",
    method: "GET",
    path: "/v1/state",
    summary: "all that is stored, page by page, as lookout export writes it",
    query: ExportQuerySchema,
    answer: ExportSchema,
    refusals: [400],
  },
  {
    name: "importState",
    method: "POST",
    path: "/v1/state",
    summary: "stores lines of an export, where nothing is in their place",
    body: ImportRequestSchema,
    answer: ImportSchema,
    refusals: [400, 409],
  },
  {
    name: "readConfiguration",
    method: "GET",
    path: "/v1/configuration",
    summary: "the settings in effect, and where each is from; secrets are only said to be set",
    answer: schemas.SettingsSchema,
    refusals: [501],
  },
  {
    name: "followFacts",
    method: "GET",
    path: "/v1/events",
    summary: "facts as they are told, as server-sent events, until either side ends it",
    answer: schemas.FactSchema,
    stream: true,
    refusals: [501],
  },
  {
    name: "readDocument",
    method: "GET",
    path: "/v1/openapi.json",
    summary: "this API, as an OpenAPI 3.1 document",
    answer: "an OpenAPI document",
    refusals: [],
  },
  {
    name: "pushToDemo",
    method: "POST",
    path: "/v1/demo/push",
    summary: "pushes to the demo's registry; in the demo alone",
    body: schemas.DemoPushRequestSchema,
    answer: schemas.DemoPushSchema,
    status: 202,
    refusals: [400, 404],
  },
] as const satisfies readonly ApiRoute[];

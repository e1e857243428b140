import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { accepted, answered, ClusterPath } from "./operation.ts";
import { count, instant, list, next, page, part, view } from "./schema.ts";

/** The outcome of a check. */
export const verdicts = ["well", "doubtful", "wrong"] as const;

export const CheckView = view("Check", "The result of one check.", {
  check: z.string().describe("The checked object: `table`, `cluster prod`."),
  verdict: z.enum(verdicts).describe("The verdict. The verdict is doubtful if the finding may be intended."),
  detail: z.string(),
  remedy: z.string().exactOptional().describe("The step that mends the finding."),
});
/** The result of one check. */
export type CheckView = z.output<typeof CheckView>;

export const DoctorView = view("Doctor", "The checks of Lookout and of the systems that it uses.", {
  at: instant,
  checks: list(CheckView),
  clusters: list(z.string()).describe("The names of all clusters. Each has its own check."),
});
/** The checks of Lookout and of the systems that it uses. */
export type DoctorView = z.output<typeof DoctorView>;

export const ProbeView = view("Probe", "A synthetic push that checks whether pushes arrive.", {
  id: z.string().describe("The id of the synthetic push."),
  sentAt: instant
    .exactOptional()
    .describe("The time at which Lookout sent the push. Present only in the answer to the request that sent the push."),
  arrivedAt: instant
    .exactOptional()
    .describe("The time at which evaluate/image-pushed received the push. Absent until the push is received."),
});
/** The arrival of a synthetic push. */
export type ProbeView = z.output<typeof ProbeView>;

export const RepairView = view("Repair", "The derived rows of one page of workloads, written again.", {
  at: instant,
  rows: list(
    part({
      of: z.string().describe("The kind of rows."),
      workloads: count.describe("The number of compared workloads."),
      repaired: count.describe("The number of workloads whose rows differed from their records."),
    }),
  ),
  next,
});
/** The derived rows of one page of workloads, written again. */
export type RepairView = z.output<typeof RepairView>;

export const RepairQuery = z.strictObject({ limit: page.limit, after: page.after });
/** The page of a repair. */
export type RepairQuery = z.output<typeof RepairQuery>;

export const doctorOperations = {
  repairRows: createRoute({
    method: "post",
    path: "/v1/doctor/repair",
    summary: "compares derived rows with the records of a page of workloads, and writes differing rows again",
    request: { query: RepairQuery },
    responses: answered(RepairView, 400),
  }),
  examine: createRoute({
    method: "get",
    path: "/v1/doctor",
    summary: "checks the state and each registry, and lists the clusters",
    responses: answered(DoctorView),
  }),
  examineCluster: createRoute({
    method: "get",
    path: "/v1/doctor/clusters/{cluster}",
    summary: "checks a cluster and its last sync",
    request: { params: ClusterPath },
    responses: answered(CheckView, 404),
  }),
  sendSyntheticPush: createRoute({
    method: "post",
    path: "/v1/doctor/probes",
    summary: "sends a synthetic push",
    responses: accepted(ProbeView),
  }),
  readProbe: createRoute({
    method: "get",
    path: "/v1/doctor/probes/{probe}",
    summary: "returns the arrival time of a synthetic push",
    request: { params: z.object({ probe: z.string().describe("The id of a synthetic push.") }) },
    responses: answered(ProbeView),
  }),
} as const;

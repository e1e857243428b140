import type * as z from "zod";
import type * as clusterSchemas from "./cluster-schemas.ts";
import type * as schemas from "./api-schemas.ts";
import type * as doctor from "./doctor-schemas.ts";
import type * as freezes from "./freeze-schemas.ts";
import type * as transfer from "./transfer-schemas.ts";

/*
 * The answers and requests of the `/v1` API, inferred from their schemas, which describe every member. Instants are RFC 3339 in UTC,
 * digests are whole, workloads are named `cluster/namespace/kind/name`. The paths are listed in api-routes.ts.
 */

/** Why something does not happen, for people. */
export type ReasonView = z.output<typeof schemas.ReasonSchema>;

/** An image that runs or is wanted. */
export type ImageView = z.output<typeof schemas.ImageSchema>;

/** The state of a workload in one word. */
export type WorkloadState = (typeof schemas.workloadStates)[number];

/** An update that is open, or the last that ended. */
export type UpdateView = z.output<typeof schemas.UpdateSchema>;

/** A workload, as Lookout last saw it. */
export type WorkloadView = z.output<typeof schemas.WorkloadSchema>;

/** A cluster, as the last look left it. */
export type ClusterView = z.output<typeof schemas.ClusterSchema>;

/** All clusters, sorted by name. */
export type ClustersView = z.output<typeof schemas.ClustersSchema>;

/** A page of the workloads that take part, sorted by name, and the clusters. */
export type WorkloadsView = z.output<typeof schemas.WorkloadsSchema>;

/** Why a workload runs what it runs, and what would have to be so for it to run something else. */
export type ExplanationView = z.output<typeof schemas.ExplanationSchema>;

/** What a policy makes of a repository's tags now. */
export type ElectionView = ExplanationView["elections"][number];

/** What a gate says now. */
export type GateView = ExplanationView["gates"][number];

/** The history of a workload, the newest first. */
export type DecisionsView = z.output<typeof schemas.DecisionsSchema>;

/** One row of a workload's history. */
export type DecisionView = DecisionsView["decisions"][number];

/** A page of every update that is open, and the last that ended of each workload, the newest first. */
export type UpdatesView = z.output<typeof schemas.UpdatesSchema>;

/** One update, as far as the workload's history goes back. */
export type UpdateHistoryView = z.output<typeof schemas.UpdateHistorySchema>;

/** What lifting took away. */
export type LiftView = z.output<typeof schemas.LiftSchema>;

/** The digests in quarantine, sorted. */
export type QuarantineView = z.output<typeof schemas.QuarantineSchema>;

/** The freezes that hold something now, sorted by scope. */
export type FreezesView = z.output<typeof freezes.FreezesSchema>;

/** Freezes a scope. */
export type FreezeRequest = z.output<typeof freezes.FreezeRequestSchema>;

/** Every repository that workloads are subscribed to, in the order of their names. */
export type RepositoriesView = z.output<typeof schemas.RepositoriesSchema>;

/** A repository that workloads are subscribed to, and what sweeps found there. */
export type RepositoryView = RepositoriesView["repositories"][number];

/** What lifting a workload is asked with. */
export type LiftRequest = z.output<typeof schemas.LiftRequestSchema>;

/** Sweeps now. */
export type SweepRequest = z.output<typeof schemas.SweepRequestSchema>;

/** What a sweep found, in the order of the repositories' names. */
export type SweepView = z.output<typeof schemas.SweepSchema>;

/** What a sweep found in one repository. */
export type SweptView = SweepView["repositories"][number];

/** The configuration in effect, and where each part of it is from. */
export type SettingsView = z.output<typeof schemas.SettingsSchema>;

/** One setting of the configuration in effect. */
export type SettingView = SettingsView["settings"][number];

/** A fact as it crosses the border of the process. */
export type FactView = z.output<typeof schemas.FactSchema>;

/** Puts a digest in quarantine. */
export type QuarantineRequest = z.output<typeof schemas.QuarantineRequestSchema>;

/** Pushes an image to the demo's registry. */
export type DemoPushRequest = z.output<typeof schemas.DemoPushRequestSchema>;

/** What was pushed. */
export type DemoPushView = z.output<typeof schemas.DemoPushSchema>;

/** Why a request was not done. */
export type ErrorView = z.output<typeof schemas.ErrorSchema>;

/** What Lookout can tell of itself and of what it reaches. */
export type DoctorView = z.output<typeof doctor.DoctorSchema>;

/** One thing that was looked at. */
export type CheckView = DoctorView["checks"][number];

/** Whether a push that was told arrived. */
export type EchoView = z.output<typeof doctor.EchoSchema>;

/** The first line of an export. */
export type ExportHeader = z.output<typeof transfer.ExportHeaderSchema>;

/** A line of an export. */
export type TransferRow = z.output<typeof transfer.TransferRowSchema>;

/** A page of what a Lookout has stored. */
export type ExportView = z.output<typeof transfer.ExportSchema>;

/** Some lines of an export. */
export type ImportRequest = z.output<typeof transfer.ImportRequestSchema>;

/** What became of the lines. */
export type ImportView = z.output<typeof transfer.ImportSchema>;

/** Registers a cluster. */
export type ClusterRequest = z.output<typeof clusterSchemas.ClusterRequestSchema>;

/** Whether a cluster lets Lookout in, and gives it the rights that it needs. */
export type ClusterCheckView = z.output<typeof clusterSchemas.ClusterCheckSchema>;

/** A look at a cluster that was asked for. */
export type ClusterSyncView = z.output<typeof clusterSchemas.ClusterSyncSchema>;

import type { PushCoalescing } from "#ports/push-coalescing";
import type { Clock } from "#ports/clock";
import type { Clusters } from "#ports/cluster";
import type { ClusterStates } from "#ports/cluster-states";
import type { ProbeResults } from "#ports/probe-results";
import type { Freezes } from "#ports/freezes";
import type { Ledger } from "#ports/ledger";
import type { Bus, Queues } from "#ports/messaging";
import type { Metrics } from "#ports/metrics";
import type { Patterns } from "#ports/patterns";
import type { Quarantine } from "#ports/quarantine";
import type { Registering, Registrations } from "#ports/registrations";
import type { Registry } from "#ports/registry";
import type { RegistryLimits } from "#ports/registry-limits";
import type { Repositories } from "#ports/repositories";
import type { Spending } from "#ports/spending";
import type { Changes, WorkloadStore } from "#ports/store";
import type { Sightings } from "#ports/sightings";
import type { TagHistory } from "#ports/tag-history";
import type { UnusedNotifications } from "#ports/unused-notifications";
import type { RegistryRules } from "#domain/workload/registry-rules";
import type { ApprovalRules } from "#domain/approval/approvers";
import type { SettingDefaults } from "#domain/settings/settings";
import type { PlannedFreeze } from "#domain/gates/freezes";
import type { NodeRules } from "#domain/gates/node-rules";
import type { Limits } from "#domain/update/state/workload";

/** The ports that store their state in the table. */
export const tablePorts = [
  "store",
  "ledger",
  "quarantine",
  "freezes",
  "pushCoalescing",
  "probeResults",
  "repositories",
  "sightings",
  "registryLimits",
  "tagHistory",
  "clusterStates",
  "registrations",
] as const satisfies readonly (keyof Ports)[];
/** The name of a port that stores its state in the table. */
export type TablePort = (typeof tablePorts)[number];

/** All ports. Each use case picks the ports that it uses. */
export interface Ports {
  readonly clock: Clock;
  readonly store: WorkloadStore;
  readonly changes: Changes;
  readonly ledger: Ledger;
  readonly quarantine: Quarantine;
  readonly freezes: Freezes;
  readonly pushCoalescing: PushCoalescing;
  readonly probeResults: ProbeResults;
  readonly repositories: Repositories;
  readonly tagHistory: TagHistory;
  readonly sightings: Sightings;
  readonly clusters: Clusters;
  readonly clusterStates: ClusterStates;
  /** The registered clusters. A local Lookout keeps imported registrations for its export. */
  readonly registrations: Registrations;
  /** The registration of clusters. Absent if only `lookout.yaml` names clusters. */
  readonly registering?: Registering;
  readonly registry: Registry;
  /** The owner's rules about the use of registries. */
  readonly registryRules: RegistryRules;
  readonly registryLimits: RegistryLimits;
  readonly queues: Queues;
  readonly bus: Bus;
  readonly metrics: Metrics;
  /**
   * The notifications that changed nothing. Absent on AWS, where the function of webhooks can't
   * reach the table. Its log and `WebhooksRejected` have these notifications.
   */
  readonly unusedNotifications?: UnusedNotifications;
  readonly patterns: Patterns;
  /** What the present run takes of its process. */
  readonly spending: Spending;
  /** The owner's defaults for workloads. */
  readonly defaults: SettingDefaults;
  /** The settings of the installation's owner. */
  readonly limits: Limits;
  /** The freezes that the owner planned. */
  readonly plannedFreezes: readonly PlannedFreeze[];
  /** The owner's rules about the nodes of clusters. */
  readonly nodeRules: NodeRules;
  /** The owner's rules about approvers. */
  readonly approvalRules: ApprovalRules;
}

import type { AccessTokens } from "#ports/access-tokens";
import type { PushCoalescing } from "#ports/push-coalescing";
import type { Channels } from "#ports/channels";
import type { CheckAnswers } from "#ports/check-answers";
import type { Checks } from "#ports/checks";
import type { Clock } from "#ports/clock";
import type { Clusters } from "#ports/cluster";
import type { ClusterStates } from "#ports/cluster-states";
import type { Definitions } from "#ports/definitions";
import type { ProbeResults } from "#ports/probe-results";
import type { Digests } from "#ports/digests";
import type { Forms } from "#ports/forms";
import type { Fleet } from "#ports/fleet";
import type { Freezes } from "#ports/freezes";
import type { History } from "#ports/history";
import type { KnownMode } from "#ports/known-mode";
import type { KeptMessages } from "#ports/kept-messages";
import type { Ledger } from "#ports/ledger";
import type { Bus, Queues } from "#ports/messaging";
import type { Metrics } from "#ports/metrics";
import type { Patterns } from "#ports/patterns";
import type { Pushes } from "#ports/pushes";
import type { Quarantine } from "#ports/quarantine";
import type { Registering, Registrations } from "#ports/registrations";
import type { Registry } from "#ports/registry";
import type { RegistryLimits } from "#ports/registry-limits";
import type { Reloads } from "#ports/reloads";
import type { Repositories } from "#ports/repositories";
import type { Spending } from "#ports/spending";
import type { Changes, WorkloadStore } from "#ports/store";
import type { Sightings } from "#ports/sightings";
import type { StoredItems } from "#ports/stored-items";
import type { TagHistory } from "#ports/tag-history";
import type { TierMembers } from "#ports/tier-members";
import type { ChannelStates, ToldMessages } from "#ports/told";
import type { UnreadableItems } from "#ports/unreadable-items";
import type { StateCopies } from "#ports/state-copies";
import type { UnusedNotifications } from "#ports/unused-notifications";
import type { RegistryRules } from "#domain/workload/registry-rules";
import type { ApprovalRules } from "#domain/approval/approvers";
import type { SettingDefaults } from "#domain/settings/settings";
import type { CheckRule } from "#domain/checks/rules";
import type { PlannedFreeze } from "#domain/gates/freezes";
import type { NodeRules } from "#domain/gates/node-rules";
import type { ObserveRules } from "#domain/gates/observe";
import type { TierRules } from "#domain/tiers/rules";
import type { Limits } from "#domain/update/state/workload";

/** The ports that keep their state in the table, or in the state file. */
export interface TablePorts {
  readonly store: WorkloadStore;
  readonly ledger: Ledger;
  readonly history: History;
  readonly pushes: Pushes;
  readonly digests: Digests;
  readonly knownMode: KnownMode;
  readonly fleet: Fleet;
  readonly quarantine: Quarantine;
  readonly freezes: Freezes;
  readonly pushCoalescing: PushCoalescing;
  readonly probeResults: ProbeResults;
  readonly repositories: Repositories;
  readonly sightings: Sightings;
  readonly registryLimits: RegistryLimits;
  readonly tagHistory: TagHistory;
  readonly clusterStates: ClusterStates;
  /** The registered clusters. A local Lookout keeps imported registrations for its export. */
  readonly registrations: Registrations;
  readonly forms: Forms;
  readonly storedItems: StoredItems;
  readonly unreadableItems: UnreadableItems;
  readonly told: ToldMessages;
  readonly channelStates: ChannelStates;
  readonly tierMembers: TierMembers;
  readonly checkAnswers: CheckAnswers;
  readonly definitions: Definitions;
}

/** The names of the ports that keep their state in the table. */
export const tablePorts = [
  "store",
  "ledger",
  "history",
  "pushes",
  "digests",
  "knownMode",
  "fleet",
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
  "forms",
  "storedItems",
  "unreadableItems",
  "told",
  "channelStates",
  "tierMembers",
  "checkAnswers",
  "definitions",
] as const satisfies readonly (keyof TablePorts)[];

/** What the owner wrote into lookout.yaml for the use cases. */
export interface Rules {
  /** The rules about the use of registries. */
  readonly registries: RegistryRules;
  /** The defaults for workloads. */
  readonly defaults: SettingDefaults;
  readonly limits: Limits;
  readonly plannedFreezes: readonly PlannedFreeze[];
  /** The rules about the nodes of clusters. */
  readonly nodes: NodeRules;
  /** The rules about approvers. */
  readonly approvals: ApprovalRules;
  /** The parts in which Lookout observes. */
  readonly observe: ObserveRules;
  /** True if definitions in the clusters count. Absent: they do not. */
  readonly definitions?: boolean;
  /** The tiers, and how workloads come to them. */
  readonly tiers: TierRules;
  /** The checks that are asked about updates. */
  readonly checks: readonly CheckRule[];
}

/** All ports. The row of a function in the route table names the ones that it reaches. */
export interface Ports extends TablePorts {
  readonly clock: Clock;
  readonly changes: Changes;
  readonly clusters: Clusters;
  /** The registration of clusters. Absent if only `lookout.yaml` names clusters. */
  readonly registering?: Registering;
  /** The personal tokens. Absent on AWS, where IAM proves the callers. */
  readonly tokens?: AccessTokens;
  readonly registry: Registry;
  readonly channels: Channels;
  readonly checks: Checks;
  readonly queues: Queues;
  readonly bus: Bus;
  readonly metrics: Metrics;
  /**
   * The notifications that changed nothing. Absent on AWS, where the function of webhooks can't
   * reach the table. Its log and `WebhooksRejected` have these notifications.
   */
  readonly unusedNotifications?: UnusedNotifications;
  /** The scheduled copies of the state. Absent without a schedule, and on AWS. */
  readonly stateCopies?: StateCopies;
  /** The files that are read again when they change. Absent if there are none, and on AWS. */
  readonly reloads?: Reloads;
  /** The stored messages of local queues. Absent on AWS, where all queues are durable. */
  readonly messages?: KeptMessages;
  readonly patterns: Patterns;
  /** What the present run takes of its process. */
  readonly spending: Spending;
  readonly rules: Rules;
}

import { type DurationMs } from "#domain/shared/time";
import type { CheckAnswers } from "#ports/check-answers";
import type { ClusterStates } from "#ports/cluster-states";
import type { Digests } from "#ports/digests";
import type { Forms } from "#ports/forms";
import type { Fleet } from "#ports/fleet";
import type { Definitions } from "#ports/definitions";
import type { Freezes } from "#ports/freezes";
import type { History } from "#ports/history";
import type { KnownMode } from "#ports/known-mode";
import type { Ledger } from "#ports/ledger";
import type { ProbeResults } from "#ports/probe-results";
import type { Pushes } from "#ports/pushes";
import type { Quarantine } from "#ports/quarantine";
import type { Registrations } from "#ports/registrations";
import type { RegistryLimits } from "#ports/registry-limits";
import type { Repositories } from "#ports/repositories";
import type { Sightings } from "#ports/sightings";
import type { ChannelStates, ToldMessages } from "#ports/told";
import type { StoredItems } from "#ports/stored-items";
import type { WorkloadStore } from "#ports/store";
import type { TagHistory } from "#ports/tag-history";
import type { TierMembers } from "#ports/tier-members";
import { storedApprovalIndex } from "./approval-index.ts";
import { storedBudget } from "./budget.ts";
import { storedDefinitions } from "./definitions.ts";
import { storedCheckAnswers } from "./checks.ts";
import { storedClusterStates } from "./cluster-states.ts";
import { storedDigests } from "./digests.ts";
import { storedForms } from "./forms.ts";
import { storedFleet } from "./fleet.ts";
import { storedFreezes } from "./freezes.ts";
import { storedHistory } from "./history.ts";
import { storedInstallation } from "./installation.ts";
import { workloadIn } from "./keys.ts";
import type { Storage } from "./kind.ts";
import { storedKnownMode } from "./known-mode.ts";
import { storedLedger } from "./ledger.ts";
import { storedProbeResults } from "./probe-results.ts";
import { storedPushes } from "./pushes.ts";
import { storedQuarantine } from "./quarantine.ts";
import { storedRecords } from "./records.ts";
import { storedRegistrations } from "./registrations.ts";
import { storedRegistryLimits } from "./registry-limits.ts";
import { storedRepositories } from "./repositories.ts";
import { storedSightings } from "./sightings.ts";
import { storedSurvey } from "./survey.ts";
import { storedSubscriptions } from "./subscriptions.ts";
import { storedTagHistory } from "./tag-history.ts";
import { storedTierMembers } from "./tier-members.ts";
import { storedChannelStates, storedToldMessages } from "./told.ts";
import { storedVotes } from "./votes.ts";

/** The ports whose state is items. */
export interface StoredState {
  readonly store: WorkloadStore;
  readonly ledger: Ledger;
  readonly history: History;
  readonly pushes: Pushes;
  readonly digests: Digests;
  readonly knownMode: KnownMode;
  readonly fleet: Fleet;
  readonly quarantine: Quarantine;
  readonly freezes: Freezes;
  readonly probeResults: ProbeResults;
  readonly repositories: Repositories;
  readonly registryLimits: RegistryLimits;
  readonly sightings: Sightings;
  readonly tagHistory: TagHistory;
  readonly clusterStates: ClusterStates;
  readonly registrations: Registrations;
  readonly forms: Forms;
  readonly storedItems: StoredItems;
  readonly told: ToldMessages;
  readonly channelStates: ChannelStates;
  readonly tierMembers: TierMembers;
  readonly checkAnswers: CheckAnswers;
  readonly definitions: Definitions;
}

/** What differs between the table and the state file. */
export interface StoredSettings {
  /** Returns a random name of six characters for a new installation. */
  readonly newName: () => string;
  readonly checksLagAtMost: DurationMs;
}

/** Returns all ports whose state is items. */
export function storedState(storage: Storage, { newName, checksLagAtMost }: StoredSettings): StoredState {
  return {
    store: storedWorkloads(storage, newName),
    ledger: storedLedger(storage),
    history: storedHistory(storage),
    pushes: storedPushes(storage),
    digests: storedDigests(storage),
    knownMode: storedKnownMode(storage),
    fleet: storedFleet(storage),
    quarantine: storedQuarantine(storage),
    freezes: storedFreezes(storage),
    probeResults: storedProbeResults(storage),
    repositories: storedRepositories(storage, checksLagAtMost),
    registryLimits: storedRegistryLimits(storage),
    sightings: storedSightings(storage),
    tagHistory: storedTagHistory(storage),
    clusterStates: storedClusterStates(storage),
    registrations: storedRegistrations(storage),
    forms: storedForms,
    storedItems: storedSurvey(storage),
    told: storedToldMessages(storage),
    channelStates: storedChannelStates(storage),
    tierMembers: storedTierMembers(storage),
    checkAnswers: storedCheckAnswers(storage),
    definitions: storedDefinitions(storage),
  };
}

function storedWorkloads(storage: Storage, newName: () => string): WorkloadStore {
  const installation = storedInstallation(storage, newName);
  const { slotHolders, ...budget } = storedBudget(storage);
  return {
    installation: installation.readInstallation,
    ...installation,
    ...storedRecords(storage),
    ...storedVotes(storage),
    ...storedApprovalIndex(storage),
    ...storedSubscriptions(storage),
    ...budget,
    // A workload with a slot comes first, due or not.
    async due(before, limit) {
      const doing = "listing the overdue records";
      const [holders, others] = await Promise.all([slotHolders(), storage.items.due(before, limit, doing)]);
      return [...holders, ...others.flatMap(({ pk }) => workloadIn(pk) ?? [])].slice(0, limit);
    },
  };
}

import type { KindForms } from "#ports/stored-items";
import { accessTokenKind } from "./access-tokens.ts";
import { approvalPlaceKind } from "./approval-index.ts";
import { slotKind, waiterKind } from "./budget.ts";
import { checkAnswerKind } from "./checks.ts";
import { clusterStateKind } from "./cluster-states.ts";
import { declaredKind } from "./definitions.ts";
import { digestRunKind, workloadRunsKind } from "./digests.ts";
import { fleetRowKind } from "./fleet.ts";
import { freezeKind } from "./freezes.ts";
import { historyKind } from "./history.ts";
import { installationKind } from "./installation.ts";
import { knownModeKind } from "./known-mode.ts";
import { keptMessageKind } from "./kept-messages.ts";
import { type Kind, newestRead } from "./kind.ts";
import { ledgerKind } from "./ledger.ts";
import { probeKind } from "./probe-results.ts";
import { pushStepKind } from "./pushes.ts";
import { quarantineKind } from "./quarantine.ts";
import { recordKind, workloadPlaceKind } from "./records.ts";
import { registrationKind } from "./registrations.ts";
import { registryLimitKind } from "./registry-limits.ts";
import { repositoryKind, tickKind } from "./repositories.ts";
import { sightingKind } from "./sightings.ts";
import { subscriptionKind, subscriptionListKind } from "./subscriptions.ts";
import { listingKind, moveKind } from "./tag-history.ts";
import { channelStateKind, toldKind } from "./told.ts";
import { tierMemberKind } from "./tier-members.ts";
import { voteKind } from "./votes.ts";

/** A kind, the place of its items, and what happens without one of them. */
export interface KindRow {
  readonly kind: Kind<unknown>;
  /** The partition of all its items, or the beginning of their partitions, which ends with `#`. */
  readonly pk: string;
  /** The beginning of the sort keys. */
  readonly prefix: string;
  /** The number of newest items that a survey reads. Absent: all. */
  readonly newest?: number;
  /** What follows after an item was deleted, for people. */
  readonly deleted: string;
}

/** The rows of a history that a survey reads. A row of a newer form is among the newest rows. */
const newestRows = 100;

/** All kinds of stored items. */
export const kinds: readonly KindRow[] = [
  row(
    recordKind,
    "WORKLOAD#",
    "WORKLOAD",
    "The next complete sync tracks the workload again, without its blocked digests.",
  ),
  row(
    subscriptionListKind,
    "WORKLOAD#",
    "SUBSCRIPTIONS",
    "Change an annotation of the workload, so that it subscribes again.",
  ),
  row(voteKind, "WORKLOAD#", "VOTE#", "Its voter votes again."),
  { ...row(ledgerKind, "WORKLOAD#", "LOG#", "This decision is missing in the history."), newest: newestRows },
  row(toldKind, "WORKLOAD#", "TOLD#", "A channel may get a second message about this update."),
  row(toldKind, "TOLD#", "", "A channel may get a second message about this push."),
  row(keptMessageKind, "MESSAGES", "", "This message of a channel is lost."),
  row(checkAnswerKind, "CHECKS", "", "The check is asked again."),
  row(channelStateKind, "CHANNELS", "", "The channel is tried again at its next fact."),
  row(workloadPlaceKind, "CLUSTER#", "WORKLOAD#", "No list names the workload until it is tracked again."),
  row(fleetRowKind, "FLEET#", "", "No list shows the workload until lookout doctor --repair."),
  row(approvalPlaceKind, "CLUSTER#", "APPROVAL#", "The list of approvals omits this update until its next change."),
  row(tierMemberKind, "TIER#", "", "The workload no longer counts in its tier until its next change."),
  row(declaredKind, "DEFINED#", "", "The next complete sync stores it again."),
  row(waiterKind, "CLUSTER#", "READY#", "The workload loses its place in the queue."),
  row(workloadRunsKind, "RUNS#", "", "The next change of the workload writes it again."),
  row(slotKind, "SLOTS", "", "The slot is free again."),
  row(freezeKind, "FREEZE", "", "The freeze ends. To keep it: lookout freeze."),
  row(quarantineKind, "QUARANTINE", "ALL#", "The digest leaves the quarantine. To keep it: lookout quarantine add."),
  row(accessTokenKind, "TOKENS", "", "The token is no longer accepted. To make another: lookout token create."),
  row(registrationKind, "CLUSTERS", "", "Register the cluster again: lookout cluster add."),
  row(clusterStateKind, "CLUSTER-STATES", "", "The next sync of the cluster writes it again."),
  row(repositoryKind, "REPOSITORIES", "", "The next evaluation of a subscriber lists the repository again."),
  row(tickKind, "TICKS", "SWEEP", "The next sweep writes it again."),
  row(
    installationKind,
    "INSTALLATION",
    "INSTALLATION",
    "Lookout makes a new name, and no longer knows its update labels.",
  ),
  row(knownModeKind, "INSTALLATION", "MODE", "The next change of the mode is missing in the history of the fleet."),
  row(probeKind, "DOCTOR", "PROBE#", "Nothing is lost."),
  row(registryLimitKind, "REGISTRY#", "", "The next request to the registry writes it again."),
  row(moveKind, "TAGS#", "TAG#", "The next sweep finds the tag again."),
  row(sightingKind, "TAGS#", "SEEN#", "The age of this digest counts from now."),
  {
    ...row(historyKind, "HISTORY#", "", "This act or update is missing in the history of the fleet."),
    newest: newestRows,
  },
  row(pushStepKind, "PUSH#", "", "The list of what this push led to omits the workload."),
  row(digestRunKind, "DIGEST#", "", "The list of who ran the digest omits this run."),
  row(listingKind, "TAGS#", "KNOWN", "The next sweep lists the tags again."),
  row(subscriptionKind, "SUBSCRIBERS#", "", "Change an annotation of the workload, so that it subscribes again."),
];

function row(kind: Kind<unknown>, pk: string, prefix: string, deleted: string): KindRow {
  return { kind, pk, prefix, deleted };
}

/** The forms of all kinds that this program writes and reads. */
export const kindForms: readonly KindForms[] = [...new Set(kinds.map(({ kind }) => kind))].map((kind) => ({
  kind: kind.name,
  writes: kind.form,
  reads: newestRead(kind),
}));

/** Returns the kinds whose items are in a partition. */
export function kindsIn(partition: string): readonly KindRow[] {
  return kinds.filter(({ pk }) => (pk.endsWith("#") ? partition.startsWith(pk) : partition === pk));
}

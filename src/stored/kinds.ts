import type { KindForms } from "#ports/stored-items";
import { kind as approvals } from "./approval-index.ts";
import { slotKind, waiterKind } from "./budget.ts";
import { kind as clusterStates } from "./cluster-states.ts";
import { kind as freezes } from "./freezes.ts";
import { kind as installation } from "./installation.ts";
import { highestForm, type Kind } from "./kind.ts";
import { kind as ledger } from "./ledger.ts";
import { kind as probeResults } from "./probe-results.ts";
import { kind as quarantine } from "./quarantine.ts";
import { kind as records, places } from "./records.ts";
import { kind as registrations } from "./registrations.ts";
import { kind as registryLimits } from "./registry-limits.ts";
import { kind as repositories, ticks } from "./repositories.ts";
import { kind as sightings } from "./sightings.ts";
import { lists, rows } from "./subscriptions.ts";
import { listings, moves } from "./tag-history.ts";
import { kind as votes } from "./votes.ts";

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
    records,
    "WORKLOAD#",
    "WORKLOAD",
    "The next complete sync tracks the workload again, without its blocked digests.",
  ),
  row(lists, "WORKLOAD#", "SUBSCRIPTIONS", "Change an annotation of the workload, so that it subscribes again."),
  row(votes, "WORKLOAD#", "VOTE#", "Its voter votes again."),
  { ...row(ledger, "WORKLOAD#", "LOG#", "This decision is missing in the history."), newest: newestRows },
  row(places, "CLUSTER#", "WORKLOAD#", "No list names the workload until it is tracked again."),
  row(approvals, "CLUSTER#", "APPROVAL#", "The list of approvals omits this update until its next change."),
  row(waiterKind, "CLUSTER#", "READY#", "The workload loses its place in the queue."),
  row(slotKind, "SLOTS", "", "The slot is free again."),
  row(freezes, "FREEZE", "", "The freeze ends. To keep it: lookout freeze."),
  row(quarantine, "QUARANTINE", "ALL#", "The digest leaves the quarantine. To keep it: lookout quarantine add."),
  row(registrations, "CLUSTERS", "", "Register the cluster again: lookout cluster add."),
  row(clusterStates, "CLUSTER-STATES", "", "The next sync of the cluster writes it again."),
  row(repositories, "REPOSITORIES", "", "The next evaluation of a subscriber lists the repository again."),
  row(ticks, "TICKS", "SWEEP", "The next sweep writes it again."),
  row(installation, "INSTALLATION", "INSTALLATION", "Lookout makes a new name, and no longer knows its update labels."),
  row(probeResults, "DOCTOR", "PROBE#", "Nothing is lost."),
  row(registryLimits, "REGISTRY#", "", "The next request to the registry writes it again."),
  row(moves, "TAGS#", "TAG#", "The next sweep finds the tag again."),
  row(sightings, "TAGS#", "SEEN#", "The age of this digest counts from now."),
  row(listings, "TAGS#", "KNOWN", "The next sweep lists the tags again."),
  row(rows, "SUBSCRIBERS#", "", "Change an annotation of the workload, so that it subscribes again."),
];

function row(kind: Kind<unknown>, pk: string, prefix: string, deleted: string): KindRow {
  return { kind, pk, prefix, deleted };
}

/** The forms of all kinds that this program writes and reads. */
export const kindForms: readonly KindForms[] = kinds.map(({ kind }) => ({
  kind: kind.name,
  writes: kind.form,
  reads: highestForm(kind),
}));

/** Returns the kinds whose items are in a partition. */
export function kindsIn(partition: string): readonly KindRow[] {
  return kinds.filter(({ pk }) => (pk.endsWith("#") ? partition.startsWith(pk) : partition === pk));
}

import type { WhatChanged } from "../image/comparison.ts";
import type { Reason } from "../shared/reasons.ts";
import { type EpochMs, toIso } from "../shared/time.ts";
import { originOf } from "../update/effects/facts.ts";
import type { Action } from "../update/state/action.ts";
import { correlationOf } from "../update/state/correlation.ts";
import { type Ending, endings, type Transition, type WorkloadRecord } from "../update/state/workload.ts";
import type { ImageChange } from "../workload/patch.ts";
import { workloadKey } from "../workload/workload.ts";

/** An image of a row: its container, and the version that the row is about. */
export interface HistoryImage {
  /** Absent if the row is about no container. */
  readonly container?: string;
  readonly imageName: string;
  readonly tag: string;
  readonly digest: string;
  /** The origins of the replaced and the new image. Absent if the new image states none. */
  readonly whatChanged?: WhatChanged;
}

/** One row of the history of the whole fleet: an act of a person, or the end of an update. */
export interface HistoryRow {
  /** The identity of what happened. A repeated delivery has the same id. */
  readonly id: string;
  readonly at: EpochMs;
  /** The act of a person. Absent if an update ended without one. */
  readonly action?: Action;
  /** How the update ended. Absent if no update ended. */
  readonly ended?: Ending;
  /** The key of the workload. Absent if the row is about no single workload. */
  readonly workload?: string;
  /** The part of the fleet, as `*`, `CLUSTER` or `CLUSTER/NAMESPACE`. Absent if the row is about none. */
  readonly scope?: string;
  /** What else the row is about: a digest, the name of a token or a cluster. */
  readonly subject?: string;
  /** The number of the update. Absent if the row is about no update. */
  readonly seq?: number;
  readonly images: readonly HistoryImage[];
  readonly correlationId?: string;
  /** Why the update ended. Absent if it succeeded. */
  readonly reason?: Reason;
  readonly detail?: string;
}

/** Returns the month of an instant in UTC: `2026-11`. */
export function monthOf(at: EpochMs): string {
  return toIso(at).slice(0, "2026-11".length);
}

/**
 * Returns the rows of one version of a record: its acts of people, and its ended updates. An act that
 * ends its update has one row.
 */
export function historyRowsOf(record: WorkloadRecord): readonly HistoryRow[] {
  const ofVote = voteOf(record);
  const hasActed = record.transitions.some(({ action }) => action !== undefined);
  const acted = hasActed || ofVote === undefined ? [] : [ofVote];
  return [...acted, ...record.transitions.flatMap((transition) => rowOf(record, transition) ?? [])];
}

function rowOf(record: WorkloadRecord, transition: Transition): HistoryRow | undefined {
  const { uid, version, changedAt: at } = record;
  const workload = workloadKey(record.workload);
  return historyRowOf({ workload, uid, version, at, transition, ...correlationOf(originOf(record, transition)) });
}

/** A transition, and the version of a record that it belongs to. */
interface Decided {
  readonly workload: string;
  readonly uid: string;
  readonly version: number;
  readonly at: EpochMs;
  readonly correlationId?: string;
  readonly transition: Transition;
}

/** Returns the row of a transition, or undefined if no person acted and no update ended. */
export function historyRowOf({
  workload,
  uid,
  version,
  at,
  correlationId,
  transition,
}: Decided): HistoryRow | undefined {
  const { seq, action, changes, reasons, detail } = transition;
  const ended = endings.find((ending) => ending === transition.what);
  if (action === undefined && ended === undefined) return undefined;
  const [why] = ended === undefined ? [] : reasons;
  return {
    id: [uid, seq, version, action?.what ?? ended].join("/"),
    at,
    ...(action === undefined ? {} : { action }),
    ...(ended === undefined ? {} : { ended }),
    workload,
    ...(seq === 0 ? {} : { seq }),
    images: imagesOf(changes),
    ...correlationOf({ correlationId }),
    ...(why === undefined ? {} : { reason: why.reason }),
    ...(detail === undefined ? {} : { detail }),
  };
}

/** Returns the row of the vote of an annotation, whose transition names no person. */
function voteOf(record: WorkloadRecord): HistoryRow | undefined {
  const { vote } = record.effects;
  if (vote === undefined || record.transitions.some(({ what }) => what === "evidence-imported")) return undefined;
  const { person, decision, proof, binding, why } = vote;
  return {
    id: [record.uid, binding.seq, record.version, decision].join("/"),
    at: record.changedAt,
    action: { what: decision, by: person, provedBy: proof.kind, ...(why === undefined ? {} : { why }) },
    workload: workloadKey(record.workload),
    seq: binding.seq,
    images: binding.images.map(({ name, imageName, tag, digest }) => ({ container: name, imageName, tag, digest })),
  };
}

/** Returns the images of changes. */
export function imagesOf(changes: readonly ImageChange[]): readonly HistoryImage[] {
  return changes.map(({ name: container, imageName, tag, digest, whatChanged }) => ({
    container,
    imageName,
    tag,
    digest,
    ...(whatChanged === undefined ? {} : { whatChanged }),
  }));
}

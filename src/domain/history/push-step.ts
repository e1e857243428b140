import type { EpochMs } from "../shared/time.ts";
import { originOf } from "../update/effects/facts.ts";
import { endings, type Ending, type Transition, type WorkloadRecord } from "../update/state/workload.ts";
import { workloadKey } from "../workload/workload.ts";
import { type HistoryImage, imagesOf } from "./history-row.ts";

/** What one push led to in one workload. */
export interface PushStep {
  /** The id of the push. */
  readonly push: string;
  readonly workload: string;
  /** The number of the update. */
  readonly seq: number;
  /** The version of the record that this step is from. */
  readonly version: number;
  readonly selectedAt: EpochMs;
  /** How the update ended. Absent while it is open. */
  readonly ended?: Ending;
  readonly endedAt?: EpochMs;
  readonly images: readonly HistoryImage[];
}

/** Returns the steps of one version: updates that a push led to and that were selected or ended. */
export function pushStepsOf(record: WorkloadRecord): readonly PushStep[] {
  return record.transitions.flatMap((transition) => {
    const { seq, what, changes, selected } = transition;
    const { correlationId } = originOf(record, transition);
    const ended = endings.find((ending) => ending === what);
    if (correlationId === undefined || (ended === undefined && selected !== true)) return [];
    const update = [record.pending, record.active, record.last].find((one) => one?.seq === seq);
    return [
      {
        push: correlationId,
        workload: workloadKey(record.workload),
        seq,
        version: record.version,
        selectedAt: update?.selectedAt ?? record.changedAt,
        ...(ended === undefined ? {} : { ended, endedAt: record.changedAt }),
        images: imagesOf(changes),
      },
    ];
  });
}

/** A row of the ledger, as far as a step needs it. */
interface Decided {
  readonly workload: string;
  readonly seq: number;
  readonly version: number;
  readonly at: EpochMs;
  readonly correlationId?: string;
  readonly transition: Transition;
}

/** Returns the step of a row of the ledger. Its selection is the instant of the row. */
export function pushStepOf({ workload, seq, version, at, correlationId, transition }: Decided): PushStep | undefined {
  const ended = endings.find((ending) => ending === transition.what);
  if (correlationId === undefined || (ended === undefined && transition.selected !== true)) return undefined;
  return {
    ...{ push: correlationId, workload, seq, version, selectedAt: at },
    ...(ended === undefined ? {} : { ended, endedAt: at }),
    images: imagesOf(transition.changes),
  };
}

import { type HistoryRow, historyRowOf } from "#domain/history/history-row";
import { type PushStep, pushStepOf } from "#domain/history/push-step";
import { minutes, plus } from "#domain/shared/time";
import type { LedgerRow } from "#ports/ledger";
import { mapBounded } from "./bounded.ts";
import type { DerivedRows } from "./derived-kind.ts";
import type { Ports } from "./ports.ts";

/** The decisions of each workload from which rows are written again. */
const decisionsRead = 1_000;
const workloadsAtOnce = 8;

/** The time in which the running images of a changed record are on their way. */
const runsLag = minutes(1);

interface OfLedger {
  readonly rows: readonly HistoryRow[];
  readonly steps: readonly PushStep[];
}

/** Returns what follows from the ledger of a workload. Imported rows prove nothing. */
async function ofLedger(workload: string, { ledger }: Ports): Promise<OfLedger> {
  const own = (await ledger.read(workload, decisionsRead)).filter(({ isImported }) => isImported !== true);
  const byPush = Map.groupBy(own, ({ correlationId }) => correlationId);
  const steps = [...byPush].flatMap(([push, rows]) => (push === undefined ? [] : (stepIn(rows) ?? [])));
  return { rows: own.flatMap((row) => historyRowOf(row) ?? []), steps };
}

/** Returns the newest step among the rows of one push, which are the newest first. */
function stepIn(rows: readonly LedgerRow[]): PushStep | undefined {
  const [newest] = rows.flatMap((row) => pushStepOf(row) ?? []);
  if (newest === undefined) return undefined;
  const first = rows.findLast(({ seq }) => seq === newest.seq);
  return { ...newest, selectedAt: first?.at ?? newest.selectedAt };
}

async function workloadsWith(
  workloads: readonly string[],
  hasDifference: (workload: string) => Promise<boolean>,
): Promise<readonly string[]> {
  const differs = await mapBounded(workloads, workloadsAtOnce, hasDifference);
  return workloads.filter((_, index) => differs[index]);
}

/** The rows of the history that follow from the ledger. Acts that no record shows can't be written again. */
export const historyRows: DerivedRows = {
  name: "rows of the fleet's history",
  async differing(workloads, ports) {
    return workloadsWith(workloads, async (workload) => {
      const { rows } = await ofLedger(workload, ports);
      return (await ports.history.missing(rows)).length > 0;
    });
  },
  async rebuild(workloads, ports) {
    await mapBounded(workloads, workloadsAtOnce, async (workload) =>
      ports.history.append((await ofLedger(workload, ports)).rows),
    );
  },
};

/** What pushes led to, from the ledger. */
export const pushRows: DerivedRows = {
  name: "steps after pushes",
  async differing(workloads, ports) {
    return workloadsWith(workloads, async (workload) => {
      const { steps } = await ofLedger(workload, ports);
      return (await ports.pushes.missing(steps)).length > 0;
    });
  },
  async rebuild(workloads, ports) {
    await mapBounded(workloads, workloadsAtOnce, async (workload) =>
      ports.pushes.note((await ofLedger(workload, ports)).steps),
    );
  },
};

/** The running images. Runs that ended before stay as they are. */
export const runRows: DerivedRows = {
  name: "running images of workloads",
  async differing(workloads, ports) {
    const now = ports.clock.now();
    const records = await ports.store.readMany(workloads);
    return ports.digests.differing(records.filter(({ changedAt }) => plus(changedAt, runsLag) <= now));
  },
  async rebuild(workloads, ports) {
    const records = await ports.store.readMany(workloads);
    await mapBounded(records, workloadsAtOnce, (record) => ports.digests.renew(record));
  },
};

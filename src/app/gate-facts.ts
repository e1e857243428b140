import { freeSlots } from "#domain/budget";
import type { Freeze } from "#domain/freeze";
import type { GateFacts } from "#domain/gate";
import { placeOf } from "#domain/spread";
import { type EpochMs, plus, seconds } from "#domain/time";
import type { WorkloadRecord } from "#domain/update";
import type { ClusterState } from "#ports/cluster-states";
import type { QuarantinedDigest } from "#ports/quarantine";
import type { Ports } from "./ports.ts";

type FactPorts = Pick<Ports, "store" | "quarantine" | "freezes" | "clusterStates" | "clock" | "limits">;

/** Reads what the gates are judged by; nothing is read twice within one round. */
export interface GateFactsReader {
  /** Reads ahead what holds for a whole cluster. */
  readAhead(record: WorkloadRecord): Promise<unknown>;
  /** Answers the facts for an update of a workload to these digests. A free slot is offered to one update of the round at a time. */
  of(record: WorkloadRecord, digests: readonly string[]): Promise<GateFacts>;
  /** Takes back the slot of an offer that was not used, for the next of this round. */
  giveBack(record: WorkloadRecord, facts: GateFacts): void;
}

/**
 * Starts a round: its facts are as old as their first reading.
 *
 * @param likely - a digest that will probably be asked about: what is known of it is read ahead.
 */
export function gateFactsOver(ports: FactPorts, likely?: string): GateFactsReader {
  const kept = new Map<string, Promise<unknown>>();
  const once = <Value>(key: string, read: () => Promise<Value>): Promise<Value> => {
    const known = kept.get(key) ?? read();
    kept.set(key, known);
    return known as Promise<Value>;
  };
  const ofCluster = (cluster: string): Promise<readonly [readonly Freeze[], ClusterState | undefined, number[]]> =>
    Promise.all([
      once("freezes", () => ports.freezes.list()),
      once(`cluster ${cluster}`, () => ports.clusterStates.read(cluster)),
      freeIn(cluster),
    ]);
  const quarantined = (digests: readonly string[]): Promise<readonly QuarantinedDigest[]> =>
    once(`quarantine ${digests.join()}`, () => ports.quarantine.among(digests));
  const freeIn = (cluster: string): Promise<number[]> => once(`slots ${cluster}`, () => readFreeSlots(cluster, ports));
  return {
    readAhead: ({ workload: { cluster } }) =>
      Promise.all([ofCluster(cluster), likely === undefined ? [] : quarantined([likely])]),
    async of({ workload: { cluster }, uid }, digests) {
      const [entries, [freezes, state, free]] = await Promise.all([quarantined(digests), ofCluster(cluster)]);
      // By the uid, so that two rounds at once rarely offer the same slot.
      const [slot] = free.splice(Math.floor(placeOf(uid) * free.length), 1);
      return {
        quarantined: entries,
        freezes,
        windowSpread: ports.limits.windowSpread,
        ...(slot === undefined ? {} : { slot }),
        ...(state === undefined ? {} : standingOf(state, ports.clock.now())),
      };
    },
    giveBack({ workload: { cluster } }, { slot }) {
      if (slot !== undefined) void freeIn(cluster).then((free) => free.push(slot));
    },
  };
}

async function readFreeSlots(cluster: string, { store, limits }: FactPorts): Promise<number[]> {
  return [...freeSlots(await store.slots(cluster), limits.maxConcurrentRollouts)];
}

/** For how long looks at a cluster must have failed before it counts as away: one look that failed shows little. */
const awayAfter = seconds(90);

function standingOf({ problem, lastSyncAt }: ClusterState, now: EpochMs): Pick<GateFacts, "away" | "answeredAt"> {
  const answered = lastSyncAt === undefined ? {} : { answeredAt: lastSyncAt };
  // A cluster that is registered under two names answers; its look is refused elsewhere.
  if (problem === undefined || problem.reason === "cluster-registered-twice") return answered;
  if (now < plus(problem.since, awayAfter)) return answered;
  return { ...answered, away: { reason: problem.reason, detail: problem.detail } };
}

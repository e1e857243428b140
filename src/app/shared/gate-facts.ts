import { freeSlots } from "#domain/update/slots";
import type { Freeze } from "#domain/gates/freeze";
import type { GateAnswer, GateFacts } from "#domain/gates/index";
import { placeOf } from "#domain/shared/jitter";
import { plus, seconds } from "#domain/shared/time";
import type { WorkloadRecord } from "#domain/update/states";
import { workloadKey } from "#domain/workload/workload";
import type { ClusterState } from "#ports/cluster-states";
import type { QuarantinedDigest } from "#ports/quarantine";
import { allOf } from "./bounded.ts";
import { readOnce } from "./once.ts";
import type { Ports } from "./ports.ts";

type FactPorts = Pick<
  Ports,
  "store" | "quarantine" | "freezes" | "plannedFreezes" | "clusters" | "clusterStates" | "limits"
>;

/** Reads what the gates are judged by; nothing is read twice within one round. */
export interface GateFactsReader {
  /** Reads ahead what holds for a whole cluster. */
  readAhead(record: WorkloadRecord): Promise<unknown>;
  /**
   * Answers the facts for an update of a workload to these digests, and how to decide by them.
   *
   * Deciding is one moment: the slot that is offered then is still free for all others of the round, and taken if the decision takes it.
   */
  of(record: WorkloadRecord, digests: readonly string[]): Promise<Decider>;
}

/** Makes a decision with the facts, and the slot that is free at this moment. */
export type Decider = <Decision extends WorkloadRecord | readonly GateAnswer[] | undefined>(
  decide: (facts: GateFacts) => Decision,
) => Decision;

/**
 * Starts a round: its facts are as old as their first reading.
 *
 * @param likely - a digest that will probably be asked about: what is known of it is read ahead.
 */
export function gateFactsOver(ports: FactPorts, likely?: string): GateFactsReader {
  const once = readOnce();
  const ofCluster = (cluster: string): Promise<readonly [readonly Freeze[], ClusterState | undefined, Slots]> =>
    allOf([
      once("freezes", () => ports.freezes.list()),
      once(`cluster ${cluster}`, () => ports.clusterStates.read(cluster)),
      once(`slots ${cluster}`, () => readSlots(cluster, ports)),
    ]);
  const quarantined = (digests: readonly string[]): Promise<readonly QuarantinedDigest[]> =>
    once(`quarantine ${digests.join()}`, () => ports.quarantine.among(digests));
  return {
    readAhead: ({ workload: { cluster } }) =>
      allOf([ofCluster(cluster), likely === undefined ? [] : quarantined([likely])]),
    async of(record, digests) {
      const { cluster } = record.workload;
      const [entries, [freezes, state, slots]] = await allOf([quarantined(digests), ofCluster(cluster)]);
      const known = {
        ...{ quarantined: entries, freezes, plannedFreezes: ports.plannedFreezes },
        windowSpread: ports.limits.windowSpread,
      };
      const standing = !ports.clusters.names().includes(cluster) ? { away: notConfigured } : standingOf(state);
      return (decide) => {
        const slot = offerOf(slots, record);
        const next = decide({ ...known, ...standing, ...(slot === undefined ? {} : { slot }) });
        const taken = next !== undefined && "budget" in next ? next.budget.takes : undefined;
        if (taken !== undefined) slots.free.splice(slots.free.indexOf(taken), 1);
        return next;
      };
    },
  };
}

/** The budget of a cluster, as this round knows it. */
interface Slots {
  /** Numbers of slots that nobody has. */
  readonly free: number[];
  /** Keys of workloads that wait for one. */
  readonly waiting: readonly string[];
}

async function readSlots(cluster: string, { store, limits }: FactPorts): Promise<Slots> {
  const [taken, waiting] = await allOf([store.slots(cluster), store.waiters(cluster, limits.maxConcurrentRollouts)]);
  return { free: [...freeSlots(taken, limits.maxConcurrentRollouts)], waiting };
}

/** Whoever waits goes first: others are offered only what is left. By the uid, so that two rounds at once rarely offer the same slot. */
function offerOf({ free, waiting }: Slots, { workload, uid }: WorkloadRecord): number | undefined {
  const left = waiting.includes(workloadKey(workload)) ? free.length : free.length - waiting.length;
  return left > 0 ? free[Math.floor(placeOf(uid) * free.length)] : undefined;
}

/** Why nothing goes to a cluster that `lookout.yaml` does not name. */
export const notConfigured = {
  reason: "cluster-unreachable",
  detail: "no cluster of this name is configured",
} as const satisfies GateFacts["away"];

/** For how long looks at a cluster must have failed before it counts as away: one look that failed shows little. */
const awayAfter = seconds(45);

function standingOf(state: ClusterState | undefined): Pick<GateFacts, "away" | "answeredAt"> {
  const { problem, lastSyncAt, answeredAt = lastSyncAt } = state ?? {};
  const answered = answeredAt === undefined ? {} : { answeredAt };
  // A cluster that is registered under two names answers; its look is refused elsewhere.
  if (problem === undefined || problem.reason === "cluster-registered-twice") return answered;
  if (problem.at < plus(problem.since, awayAfter)) return answered;
  return { ...answered, away: { reason: problem.reason, detail: problem.detail } };
}

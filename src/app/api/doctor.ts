import type { ClusterCheckView } from "#contracts/api/clusters";
import type {
  CheckView,
  doctorOperations,
  DoctorView,
  ProbeView,
  RepairQuery,
  RepairView,
} from "#contracts/api/doctor";
import { remedyOfProblem, useDefinitions } from "#domain/definitions/definition-problem";
import { imageNameOf } from "#domain/image/reference";
import { reasons } from "#domain/shared/reasons";
import { syntheticPush } from "#domain/image/synthetic-push";
import { toIso } from "#domain/shared/time";
import type { ClusterState } from "#ports/cluster-states";
import type { RepositoryState } from "#ports/repositories";
import type { StateCopiesOutcome } from "#ports/state-copies";
import type { UnusedByReceiver } from "#ports/unused-notifications";
import type { ChannelView } from "#contracts/api/channels";
import { mapBounded } from "../shared/bounded.ts";
import { reasonOfRefusal } from "../shared/first-registry-error.ts";
import { derivedKeys, derivedRows } from "../shared/derived-rows.ts";
import { pageOf } from "../shared/page.ts";
import type { Ports } from "../shared/ports.ts";
import { listChannels } from "./channels.ts";
import { checkCluster } from "./clusters.ts";
import { type Handlers, type Served, unknownCluster } from "./handler.ts";
import { reloadCheck } from "./reloads.ts";

/** Returns the handlers for the checks. */
export function doctorHandlers({ ports, signal, id }: Served): Handlers<typeof doctorOperations> {
  return {
    examine: () => examine(ports, signal),
    examineCluster: async ({ params: { cluster } }) =>
      (await examineCluster(cluster, ports, signal)) ?? unknownCluster(cluster),
    sendSyntheticPush: () => sendSyntheticPush(id, ports),
    repairRows: ({ query }) => repairRows(query, ports),
    readProbe: ({ params: { probe } }) => readProbe(probe, ports),
  };
}

/** The number of registries that are asked at the same time. */
const askedAtOnce = 10;

/**
 * Checks the stored state, the channels, one repository of each registry, the files that are read
 * again, the scheduled copies of the state, and receivers whose notifications changed nothing. {@link examineCluster} checks a cluster.
 */
export async function examine(ports: Ports, signal: AbortSignal): Promise<DoctorView> {
  const repositories = await ports.repositories.list();
  const checks = await Promise.all([
    examineTable(ports),
    examineDerivedRows(ports),
    examineChannels(ports),
    mapBounded(byRegistry(repositories), askedAtOnce, (sample) => examineRegistry(sample, ports, signal)),
  ]);
  const receivers = (ports.unusedNotifications?.list() ?? []).map(receiverCheck);
  const copies = ports.stateCopies === undefined ? [] : [copiesCheck(ports.stateCopies.outcome())];
  const reloads = (ports.reloads?.list() ?? []).map(reloadCheck);
  return {
    at: toIso(ports.clock.now()),
    checks: [...checks.flat(), ...reloads, ...copies, ...receivers],
    clusters: ports.clusters.names(),
  };
}

function copiesCheck({ newestAt, failure }: StateCopiesOutcome): CheckView {
  const check = "backups";
  const newest =
    newestAt === undefined
      ? "there is no copy of the state yet"
      : `the newest copy of the state is of ${toIso(newestAt)}`;
  if (failure === undefined) return { check, verdict: "well", detail: newest };
  return {
    check,
    verdict: "wrong",
    detail: `the copy at ${toIso(failure.at)} failed: ${failure.detail}; ${newest}`,
    remedy: "Mend the cause, for example free some space on the disk. Lookout tries again within an hour.",
  };
}

function receiverCheck({ receiver, count, firstAt, at, reason, remedy }: UnusedByReceiver): CheckView {
  const notifications =
    count === 1
      ? `a notification changed nothing at ${toIso(at)}`
      : `${count} notifications changed nothing since ${toIso(firstAt)}, the last at ${toIso(at)}`;
  return { check: `receiver ${receiver}`, verdict: "doubtful", detail: `${notifications}: ${reason}`, remedy };
}

/** Publishes a push of an image that no workload has. Returns its id, for {@link readProbe}. */
export async function sendSyntheticPush(id: string, { bus, clock }: Ports): Promise<ProbeView> {
  const at = clock.now();
  await bus.publish([syntheticPush(id, at)]);
  return { id, sentAt: toIso(at) };
}

/**
 * Returns the instant at which `evaluate/image-pushed` received a synthetic push. Before the
 * arrival, the answer has no instant.
 */
export async function readProbe(id: string, { probeResults }: Ports): Promise<ProbeView> {
  const at = await probeResults.read(id);
  return at === undefined ? { id } : { id, arrivedAt: toIso(at) };
}

async function examineTable({ store, clusters }: Ports): Promise<CheckView> {
  const installation = await store.readInstallation();
  const workloadIndexes = await Promise.all(clusters.names().map((name) => store.workloadIndex(name)));
  const known = workloadIndexes.flat().length;
  const detail = `installation ${installation}, ${known} ${known === 1 ? "workload" : "workloads"} known`;
  return { check: "state", verdict: "well", detail };
}

const verdictsOfChannels = {
  well: "well",
  failing: "doubtful",
  paused: "doubtful",
  off: "wrong",
  unusable: "wrong",
} as const satisfies Readonly<Record<ChannelView["state"], CheckView["verdict"]>>;

/** Checks each channel without sending anything. */
async function examineChannels(ports: Ports): Promise<readonly CheckView[]> {
  const { channels } = await listChannels(ports);
  return channels.map(({ name, state, why = "", until, untold, toldAt }): CheckView => {
    const check = `channel ${name}`;
    const verdict = verdictsOfChannels[state];
    if (state === "well")
      return {
        check,
        verdict,
        detail: toldAt === undefined ? "it told nothing yet" : `it told something at ${toldAt}`,
      };
    const lost = untold === 0 ? "" : `, and ${untold} ${untold === 1 ? "fact was" : "facts were"} not told`;
    const again = until === undefined ? "" : `, until ${until}`;
    const remedy = `${verdict === "wrong" ? "Correct this, then try it" : "To try it now"}: lookout channel test ${name}`;
    return { check, verdict, detail: `it is ${state}${again}: ${why}${lost}`, remedy };
  });
}

/** The number of workloads whose rows are compared at each examination. */
const mostCompared = 200;

/** Compares derived rows of some workloads, spread over all, with their records. No check: they agree. */
async function examineDerivedRows(ports: Ports): Promise<readonly CheckView[]> {
  const all = await derivedKeys(ports);
  const step = Math.max(1, all.length / mostCompared);
  const sample = all.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step));
  const found = await Promise.all(
    derivedRows.map(async ({ name, differing }) => ({ name, differ: (await differing(sample, ports)).length })),
  );
  return found.flatMap(({ name, differ }): readonly CheckView[] => {
    if (differ === 0) return [];
    const detail = `the ${name} of ${differ} of ${sample.length} compared workloads differ from their records`;
    return [{ check: "derived rows", verdict: "wrong", detail, remedy: "Write them again: lookout doctor --repair." }];
  });
}

/** Writes the derived rows of a page of workloads again, if they differ from the records. */
export async function repairRows(query: RepairQuery, ports: Ports): Promise<RepairView> {
  const { rows: workloads, end } = pageOf(await derivedKeys(ports), (key) => key, query);
  const repaired: RepairView["rows"][number][] = [];
  for (const { name, differing, rebuild } of derivedRows) {
    const wrong = await differing(workloads, ports);
    if (wrong.length > 0) await rebuild(wrong, ports);
    repaired.push({ of: name, workloads: workloads.length, repaired: wrong.length });
  }
  return { at: toIso(ports.clock.now()), rows: repaired, ...end };
}

/** Checks a cluster, then the result of its last sync. Undefined for an unknown cluster. */
export async function examineCluster(name: string, ports: Ports, signal: AbortSignal): Promise<CheckView | undefined> {
  if (!ports.clusters.names().includes(name)) return undefined;
  const check = `cluster ${name}`;
  const [found, state] = await Promise.all([
    answered(() => checkCluster(name, ports, signal)),
    ports.clusterStates.read(name),
  ]);
  if ("kind" in found) return { check, verdict: "wrong", detail: found.detail };
  const { problem: refusal, missing, remedy } = found;
  const lacks =
    missing.length === 0 ? undefined : `the cluster answers, but does not let Lookout ${missing.join(", ")}`;
  const wrong = refusal ?? lacks;
  if (wrong !== undefined)
    return { check, verdict: "wrong", detail: wrong, ...(remedy === undefined ? {} : { remedy }) };
  const { problem, lastSyncAt } = state ?? {};
  if (problem !== undefined)
    return { check, verdict: "wrong", detail: problem.detail, remedy: remedyOf(problem.reason) };
  if (lastSyncAt === undefined)
    return {
      check,
      verdict: "doubtful",
      detail: "the cluster answers, but was never synced",
      remedy: "Lookout syncs the cluster every minute. If no sync succeeds, check the log of detect/sync-cluster.",
    };
  const doubts = doubtsOf(name, state);
  if (doubts.length > 0)
    return {
      check,
      verdict: "doubtful",
      detail: `the cluster answers, but ${doubts.map(({ detail }) => detail).join("; ")}`,
      remedy: [...new Set(doubts.map(({ remedy }) => remedy))].join(" · "),
    };
  return {
    check,
    verdict: "well",
    detail: `the cluster answers. Its last sync was at ${toIso(lastSyncAt)}${unusedText(found)}`,
  };
}

function unusedText({ unused }: ClusterCheckView): string {
  return unused === undefined
    ? ""
    : `. Lookout ignores its objects of the kinds ${unused.join(", ")}: to use them, ${useDefinitions}`;
}

interface Doubt {
  readonly detail: string;
  readonly remedy: string;
}

/** Returns what a cluster lacks without a stop of its syncs. */
function doubtsOf(cluster: string, { nodes, definitionProblems = [] }: Partial<ClusterState> = {}): readonly Doubt[] {
  const denied = nodes?.kind === "denied" ? [nodes] : [];
  return [
    ...denied.map(({ detail }) => ({
      detail: `Lookout can't list its nodes: ${detail}`,
      remedy: reasons["nodes-unknown"].remedy,
    })),
    ...definitionProblems.map((one) => ({ detail: one.detail, remedy: remedyOfProblem(one, cluster) })),
  ];
}

function remedyOf(reason: NonNullable<ClusterState["problem"]>["reason"]): string {
  return reason === "cluster-registered-twice" ? "Keep only one of the cluster's two names." : reasons[reason].remedy;
}

interface Failed {
  readonly kind: "failed";
  readonly detail: string;
}

/**
 * Returns an answer or a failure. The failure has only the name of the error, because the error's
 * message may contain a secret.
 */
async function answered<Answer>(ask: () => Promise<Answer>): Promise<NonNullable<Answer> | Failed> {
  try {
    return (await ask()) ?? { kind: "failed", detail: "the cluster is no longer configured" };
  } catch (error) {
    const name = error instanceof Error ? error.name : "unknown error";
    return { kind: "failed", detail: `Lookout failed during this check (${name}). See the log of Lookout.` };
  }
}

/** Returns one repository of each registry. */
function byRegistry(repositories: readonly RepositoryState[]): readonly RepositoryState[] {
  return [...new Map(repositories.map((state) => [state.registry, state])).values()];
}

async function examineRegistry(state: RepositoryState, { registry }: Ports, signal: AbortSignal): Promise<CheckView> {
  const check = `registry ${state.registry}`;
  // Any answer of the registry passes the check, because the tag may be missing.
  const read = await answered(() => registry.resolve(state, "latest", signal));
  if (read.kind === "manifest" || read.kind === "not-found")
    return { check, verdict: "well", detail: `the registry answers for ${imageNameOf(state)}` };
  const reason = read.kind === "failed" ? "registry-unreachable" : reasonOfRefusal(read);
  return { check, verdict: "wrong", detail: read.detail, remedy: reasons[reason].remedy };
}

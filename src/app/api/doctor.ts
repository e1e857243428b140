import type { CheckView, DoctorView, ProbeView } from "#contracts/api/doctor";
import { repositoryKey } from "#domain/image/reference";
import { reasons } from "#domain/shared/reasons";
import { syntheticPush } from "#domain/image/synthetic-push";
import { toIso } from "#domain/shared/time";
import type { ClusterState } from "#ports/cluster-states";
import { registryReasons } from "#ports/registry";
import type { RepositoryState } from "#ports/repositories";
import { mapBounded } from "../shared/bounded.ts";
import { checkCluster } from "./clusters.ts";
import type { Ports } from "../shared/ports.ts";

type DoctorPorts = Pick<Ports, "store" | "clusters" | "clusterStates" | "repositories" | "registry" | "clock">;

/** How many registries are asked at a time. */
const askedAtOnce = 10;

/** Looks at what Lookout needs: its state, and each registry that workloads have images of. Clusters are named, and looked at one by one. */
export async function examine(ports: DoctorPorts, signal: AbortSignal): Promise<DoctorView> {
  const repositories = await ports.repositories.list();
  const checks = await Promise.all([
    examineTable(ports),
    mapBounded(byRegistry(repositories), askedAtOnce, (sample) => examineRegistry(sample, ports, signal)),
  ]);
  return { at: toIso(ports.clock.now()), checks: checks.flat(), clusters: ports.clusters.names() };
}

/**
 * Tells of a push that nobody has an image of, on the way that all pushes take.
 *
 * @returns its id, with which {@link readProbe} tells whether it arrived.
 */
export async function sendSyntheticPush(id: string, { bus, clock }: Pick<Ports, "bus" | "clock">): Promise<ProbeView> {
  const at = clock.now();
  await bus.publish([syntheticPush(id, at)]);
  return { id, sentAt: toIso(at) };
}

/** Answers whether a synthetic push arrived where pushes are evaluated, and when. */
export async function readProbe(id: string, { probeResults }: Pick<Ports, "probeResults">): Promise<ProbeView> {
  const at = await probeResults.read(id);
  return at === undefined ? { id } : { id, arrivedAt: toIso(at) };
}

async function examineTable({ store, clusters }: DoctorPorts): Promise<CheckView> {
  const installation = await store.readInstallation();
  const workloadIndexes = await Promise.all(clusters.names().map((name) => store.workloadIndex(name)));
  const known = workloadIndexes.flat().length;
  const detail = `installation ${installation}, ${known} ${known === 1 ? "workload" : "workloads"} known`;
  return { check: "state", verdict: "well", detail };
}

/** Looks at a cluster, and at what was found there last; undefined for one that is not known. */
export async function examineCluster(
  name: string,
  ports: Pick<DoctorPorts, "clusters" | "clusterStates" | "clock">,
  signal: AbortSignal,
): Promise<CheckView | undefined> {
  if (!ports.clusters.names().includes(name)) return undefined;
  const check = `cluster ${name}`;
  const [found, state] = await Promise.all([
    answered(() => checkCluster(name, ports, signal)),
    ports.clusterStates.read(name),
  ]);
  if ("kind" in found) return { check, verdict: "wrong", detail: found.detail };
  const { problem: refusal, missing, remedy } = found;
  const lacks = missing.length === 0 ? undefined : `it answers, and does not let Lookout ${missing.join(", ")}`;
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
      detail: "it answers, and was never looked at",
      remedy: "It is looked at every minute; if that stays so, look into the log of detect/sync-cluster.",
    };
  return { check, verdict: "well", detail: `it answers; looked at ${toIso(lastSyncAt)}` };
}

function remedyOf(reason: NonNullable<ClusterState["problem"]>["reason"]): string {
  return reason === "cluster-registered-twice" ? "Keep one of its two names." : reasons[reason].remedy;
}

interface Failed {
  readonly kind: "failed";
  readonly detail: string;
}

/** What a call throws is a finding as well: its message may hold anything, its name not. */
async function answered<Answer>(ask: () => Promise<Answer>): Promise<NonNullable<Answer> | Failed> {
  try {
    return (await ask()) ?? { kind: "failed", detail: "it is not configured any more" };
  } catch (error) {
    const name = error instanceof Error ? error.name : "unknown error";
    return { kind: "failed", detail: `Lookout failed while it asked (${name}); its log says more` };
  }
}

/** One repository of each registry stands for all of it. */
function byRegistry(repositories: readonly RepositoryState[]): readonly RepositoryState[] {
  return [...new Map(repositories.map((state) => [state.registry, state])).values()];
}

async function examineRegistry(
  state: RepositoryState,
  { registry }: DoctorPorts,
  signal: AbortSignal,
): Promise<CheckView> {
  const check = `registry ${state.registry}`;
  // Whether there is such a tag says nothing; that the registry answers does.
  const read = await answered(() => registry.resolve(state, "latest", signal));
  if (read.kind === "manifest" || read.kind === "not-found")
    return { check, verdict: "well", detail: `it answers for ${repositoryKey(state)}` };
  const reason = read.kind === "failed" ? "registry-unreachable" : registryReasons[read.kind];
  return { check, verdict: "wrong", detail: read.detail, remedy: reasons[reason].remedy };
}

import { type Area, coversArea, isWholeFleet, meetsArea, type TokenScope } from "#domain/access/scope";
import { parseFreezeScope } from "#domain/gates/freezes";
import type { HistoryRow } from "#domain/history/history-row";
import { isDigest } from "#domain/image/reference";
import type { Fleet, FleetRow } from "#ports/fleet";
import type { RepositoryName } from "#ports/registry";
import type { WorkloadStore } from "#ports/store";
import { mapBounded } from "../shared/bounded.ts";
import type { Ports } from "../shared/ports.ts";
import { withoutHiddenMembers } from "./tier-members.ts";

/**
 * Returns the ports that list only what a scope covers: its workloads, and the clusters, freezes and
 * repositories that concern them. A freeze of the fleet concerns every workload.
 */
export function portsWithin(scope: TokenScope, ports: Ports): Ports {
  if (isWholeFleet(scope)) return ports;
  const meets = (area: Area): boolean => meetsArea(scope, area);
  const { clusters, clusterStates, freezes, repositories, rules, unreadableItems, history, pushes, digests } = ports;
  const isCovered = ({ workload }: { readonly workload: string }): boolean => coversWorkload(scope, workload);
  const store = storeWithin(scope, ports.store);
  return {
    ...ports,
    store,
    clusters: { ...clusters, names: () => clusters.names().filter((cluster) => meets({ cluster })) },
    fleet: fleetWithin(scope, ports.fleet),
    clusterStates: {
      ...clusterStates,
      list: async () => (await clusterStates.list()).filter(({ name }) => meets({ cluster: name })),
    },
    freezes: { ...freezes, list: async () => (await freezes.list()).filter((freeze) => meets(freeze.scope)) },
    repositories: {
      ...repositories,
      list: async () => {
        const listed = await repositories.list();
        const isSubscribed = await mapBounded(listed, repositoriesAtOnce, (name) => hasSubscriber(name, store));
        return listed.filter((_, index) => isSubscribed[index]);
      },
    },
    history: {
      ...history,
      read: async (part) => {
        const page = await history.read(part);
        return { ...page, rows: page.rows.filter(({ row }) => isShown(row, scope)) };
      },
    },
    pushes: { ...pushes, stepsOf: async (push) => (await pushes.stepsOf(push)).filter(isCovered) },
    digests: {
      ...digests,
      runsOf: async (digest) => (await digests.runsOf(digest)).filter(isCovered),
      present: async (cluster) => (await digests.present(cluster)).filter(isCovered),
    },
    rules: { ...rules, plannedFreezes: rules.plannedFreezes.filter((freeze) => meets(freeze.scope)) },
    // These items and problems name what other scopes cover.
    unreadableItems: { ...unreadableItems, seenSince: () => [] },
    reloads: { list: () => [] },
  };
}

/** Returns an answer in which no reason names a member of a tier that a scope does not cover. */
export function answerWithin<Answer>(scope: TokenScope, answer: Answer): Answer {
  return isWholeFleet(scope) ? answer : withoutHiddenMembers(answer, (key) => coversWorkload(scope, key));
}

const repositoriesAtOnce = 5;
const subscribersPerPage = 1_000;

/** Returns whether a scope shows a row: of its workloads, of a stop that concerns them, or of a digest. */
function isShown({ workload, scope: about, subject }: HistoryRow, scope: TokenScope): boolean {
  if (workload !== undefined) return coversWorkload(scope, workload);
  const parsed = about === undefined ? undefined : parseFreezeScope(about);
  if (parsed !== undefined) return parsed.ok && meetsArea(scope, parsed.value);
  return subject !== undefined && isDigest(subject);
}

function fleetWithin(scope: TokenScope, fleet: Fleet): Fleet {
  const covered = ({ workload }: Pick<FleetRow, "workload">): boolean => coversWorkload(scope, workload);
  return {
    ...fleet,
    list: async (area) => (await fleet.list(area)).filter(covered),
    readMany: async (workloads) => (await fleet.readMany(workloads)).filter(covered),
  };
}

function coversWorkload(scope: TokenScope, key: string): boolean {
  const [cluster = "", namespace = ""] = key.split("/");
  return coversArea(scope, { cluster, namespace });
}

function storeWithin(scope: TokenScope, store: WorkloadStore): WorkloadStore {
  const covered = (keys: readonly string[]): readonly string[] => keys.filter((key) => coversWorkload(scope, key));
  return {
    ...store,
    workloadIndex: async (cluster) => covered(await store.workloadIndex(cluster)),
    readMany: (keys, consistency) => store.readMany(covered(keys), consistency),
    awaitingApproval: async (cluster) => covered(await store.awaitingApproval(cluster)),
    subscribers: async (name, limit, after) => {
      const page = await store.subscribers(name, limit, after);
      return { ...page, workloads: covered(page.workloads) };
    },
  };
}

async function hasSubscriber(name: RepositoryName, store: WorkloadStore): Promise<boolean> {
  for await (const page of subscriberPages(name, store)) if (page.length > 0) return true;
  return false;
}

/** Reads the keys of a repository's subscribers, page by page. */
export async function* subscriberPages(name: RepositoryName, store: WorkloadStore): AsyncGenerator<readonly string[]> {
  for (let after: string | undefined; ;) {
    const page = await store.subscribers(name, subscribersPerPage, after);
    yield page.workloads;
    if (page.next === undefined) return;
    after = page.next;
  }
}

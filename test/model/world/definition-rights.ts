import type { DefinitionKind } from "#domain/definitions/definition";
import type { MemoryCluster } from "./cluster-hands.ts";

/** What a cluster answers about its definitions. */
export interface DefinitionRights {
  /** The kinds that Lookout may not list. */
  readonly denied: Set<DefinitionKind>;
  /** True: the API gives no answer about definitions. */
  isAway: boolean;
  /** True: Lookout may not write statuses. */
  isStatusDenied: boolean;
}

/** Returns the usual rights. */
export function allRights(): DefinitionRights {
  return { denied: new Set(), isAway: false, isStatusDenied: false };
}

/** Returns a cluster that answers about definitions as its rights say. */
export function withRights(cluster: MemoryCluster, rights: DefinitionRights): MemoryCluster {
  return {
    ...cluster,
    async definitions(kinds, signal) {
      if (rights.isAway) return { kind: "unreachable", detail: "simulated 503" };
      const list = await cluster.definitions(
        kinds.filter((kind) => !rights.denied.has(kind)),
        signal,
      );
      const denied = kinds.filter((kind) => rights.denied.has(kind));
      return list.kind === "definitions" ? { ...list, denied } : list;
    },
    patchStatus: async (patch, signal) =>
      rights.isStatusDenied ? { kind: "denied", detail: "simulated 403" } : cluster.patchStatus(patch, signal),
  };
}

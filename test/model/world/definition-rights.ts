import { type DefinitionKind, definitionKinds } from "#domain/definitions/definition";
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
    async definitions(absent, signal) {
      const unlisted = definitionKinds.filter((kind) => rights.isAway || rights.denied.has(kind));
      const list = await cluster.definitions(absent, signal);
      const reason = rights.isAway ? "list-failed" : "list-denied";
      return {
        objects: list.objects.filter(({ kind }) => !unlisted.includes(kind)),
        absent: list.absent.filter((kind) => !unlisted.includes(kind)),
        unlisted,
        troubles: [...list.troubles, ...unlisted.map((kind) => ({ kind, reason, detail: "simulated" }) as const)],
      };
    },
    patchStatus: async (patch, signal) =>
      rights.isStatusDenied ? { kind: "denied", detail: "simulated 403" } : cluster.patchStatus(patch, signal),
  };
}

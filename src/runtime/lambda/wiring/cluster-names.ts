import { memoizeFor } from "#adapters/shared/memoize-for";
import type { Registration, Registrations } from "#ports/registrations";
import type { Surroundings, WiringPart } from "./part.ts";
import { storedRegistrations } from "#stored/registrations";
import { stackStorage } from "./table.ts";

/**
 * The maximum age of cached registrations. After this time, every function knows of a new or
 * removed cluster.
 */
const keptMs = 30_000;

/** Wires the names of clusters, for functions that reach no cluster. */
export const clusterNames: WiringPart<"clusters"> = (surroundings) => {
  const { recent } = knownRegistrations(surroundings);
  const cluster = (name: string): never => {
    throw new Error(`the function used the cluster ${name}, but its route in src/contracts/routes.ts has no clusters`);
  };
  return async () => {
    const names = namesOf(surroundings.configuration.clusters, await recent());
    return { clusters: { names: () => names, cluster } };
  };
};

interface KnownRegistrations {
  /**
   * Returns the registered clusters. The list is at most 30 s old, and includes this function's
   * changes.
   */
  readonly recent: () => Promise<readonly Registration[]>;
  readonly registrations: Registrations;
}

/** Returns a cache of the registered clusters. */
export function knownRegistrations({ shared }: Pick<Surroundings, "shared">): KnownRegistrations {
  const stored = storedRegistrations(stackStorage({ shared }));
  const recent = memoizeFor(() => stored.list(), {
    keptMs: () => keptMs,
    freshMs: 0,
    monotonicMs: () => performance.now(),
  });
  const afterwards = async <Done>(doing: Promise<Done>): Promise<Done> => {
    const done = await doing;
    await recent(true);
    return done;
  };
  return {
    recent: () => recent(false),
    registrations: {
      list: () => stored.list(),
      put: (registration) => afterwards(stored.put(registration)),
      remove: (name) => afterwards(stored.remove(name)),
    },
  };
}

/**
 * Returns all names, sorted and unique. A cluster of `lookout.yaml` hides a registered one of the
 * same name.
 */
export function namesOf(
  configured: readonly { readonly name: string }[],
  registered: readonly { readonly name: string }[],
): readonly string[] {
  return [...new Set([...configured, ...registered].map(({ name }) => name))].sort();
}

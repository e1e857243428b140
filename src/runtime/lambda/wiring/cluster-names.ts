import { dynamoRegistrations } from "#adapters/dynamodb/registrations";
import { memoizeFor } from "#adapters/shared/memoize-for";
import type { Registration, Registrations } from "#ports/registrations";
import type { Surroundings, WiringPart } from "./part.ts";
import { stackTable } from "./table.ts";

/** How long it takes at the most until every function knows of a cluster that was registered, or removed. */
const keptMs = 30_000;

/** Knows the clusters by name, for functions that reach none of them. */
export const clusterNames: WiringPart<"clusters"> = (surroundings) => {
  const { recent } = knownRegistrations(surroundings);
  const cluster = (name: string): never => {
    throw new Error(`the route of this function does not reach clusters, and it asked for ${name}`);
  };
  return async () => {
    const names = namesOf(surroundings.configuration.clusters, await recent());
    return { clusters: { names: () => names, cluster } };
  };
};

/** The registered clusters as this function knows them. */
export interface KnownRegistrations {
  /** At most half a minute old, and never older than what this function registered itself. */
  readonly recent: () => Promise<readonly Registration[]>;
  readonly registrations: Registrations;
}

/** Remembers which clusters are registered. */
export function knownRegistrations({ shared }: Pick<Surroundings, "shared">): KnownRegistrations {
  const stored = dynamoRegistrations(shared(stackTable));
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

/** All names, sorted, each once: a name of `lookout.yaml` goes before one that was registered under it earlier. */
export function namesOf(
  configured: readonly { readonly name: string }[],
  registered: readonly { readonly name: string }[],
): readonly string[] {
  return [...new Set([...configured, ...registered].map(({ name }) => name))].sort();
}

import { declaredAbout } from "#domain/definitions/declared-annotations";
import type { Declared } from "#domain/definitions/definition";
import type { LiveWorkload } from "#domain/workload/workload";
import type { Cluster, Clusters, WorkloadHint } from "#ports/cluster";
import type { Definitions } from "#ports/definitions";
import { withChangedWorkloads } from "./changed-workloads.ts";
import type { Ports } from "./ports.ts";

/** Returns the clusters of a configuration, with definitions if they count in it. */
export function clustersFor({
  clusters,
  rules,
  definitions,
}: Pick<Ports, "clusters" | "rules" | "definitions">): Clusters {
  return rules.definitions === true ? withDefinitions(clusters, definitions) : clusters;
}

/**
 * Returns clusters whose workloads have the settings that definitions of their namespaces declare, as if they were
 * annotations. Each read of a workload reads the stored definitions as well.
 */
export function withDefinitions(clusters: Clusters, definitions: Definitions): Clusters {
  return {
    names: () => clusters.names(),
    cluster: (name) => {
      const cluster = clusters.cluster(name);
      return cluster && declaredCluster(name, cluster, definitions);
    },
  };
}

function declaredCluster(name: string, cluster: Cluster, definitions: Definitions): Cluster {
  const declared = async (live: LiveWorkload): Promise<LiveWorkload> =>
    withDeclared(live, await definitions.about(live.workload));
  const hinted = async (hint: WorkloadHint): Promise<WorkloadHint> =>
    hint.live === undefined ? hint : { ...hint, live: await declared(hint.live) };
  const declaredAll = async (live: readonly LiveWorkload[]): Promise<readonly LiveWorkload[]> => {
    if (live.length === 0) return live;
    const all = await definitions.list(name);
    const byTarget = Map.groupBy(all, ({ namespace, target }) => targetKey({ namespace, ...target }));
    return live.map((one) => {
      const { namespace } = one.workload;
      const keys = [targetKey(one.workload), targetKey({ namespace })];
      return withDeclared(
        one,
        keys.flatMap((key) => byTarget.get(key) ?? []),
      );
    });
  };
  return {
    ...withChangedWorkloads(cluster, { one: declared, all: declaredAll }),
    watch: (onHint, signal) =>
      cluster.watch((hint) => {
        // Without the object, the hint still leads to a read.
        void hinted(hint).then(onHint, () => {
          const { live: _, ...rest } = hint;
          onHint(rest);
        });
      }, signal),
  };
}

function targetKey(target: { readonly namespace: string; readonly kind?: string; readonly name?: string }): string {
  return [target.namespace, target.kind, target.name].join("/");
}

function withDeclared(live: LiveWorkload, definitions: readonly Declared[]): LiveWorkload {
  const { annotations } = declaredAbout(live, definitions);
  const declared = Object.keys(annotations).filter((key) => !Object.hasOwn(live.annotations, key));
  if (declared.length === 0) return live;
  return { ...live, annotations: { ...annotations, ...live.annotations }, declared };
}

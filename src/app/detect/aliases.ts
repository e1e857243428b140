import { withChangedWorkloads } from "../shared/changed-workloads.ts";
import { ownHost, type RegistryAliases, withOwnHosts } from "#domain/workload/registry-aliases";
import type { LiveWorkload } from "#domain/workload/workload";
import type { Cluster, Clusters } from "#ports/cluster";
import type { PushReceiver, PushReceivers } from "#ports/push-receiver";

/**
 * Returns clusters whose image names have the registry's own host in place of an alias.
 *
 * @param labels - the keys of labels that rules of `lookout.yaml` name.
 */
export function withAliases(clusters: Clusters, aliases: RegistryAliases, labels: readonly string[] = []): Clusters {
  if (aliases.size === 0 && labels.length === 0) return clusters;
  return {
    names: () => clusters.names(),
    cluster: (name) => {
      const cluster = clusters.cluster(name);
      return cluster && aliased(cluster, aliases, labels);
    },
  };
}

/** Returns receivers whose pushes have the registry's own host in place of an alias. */
export function receiversWithAliases(receivers: PushReceivers, aliases: RegistryAliases): PushReceivers {
  return {
    async receiver(name) {
      const receiver = await receivers.receiver(name);
      return receiver && underOwnHost(receiver, aliases);
    },
  };
}

function aliased(cluster: Cluster, aliases: RegistryAliases, labels: readonly string[]): Cluster {
  const own = (live: LiveWorkload): LiveWorkload => withNamedLabels(withOwnHosts(live, aliases), labels);
  return {
    ...withChangedWorkloads(cluster, { one: own, all: (live) => live.map(own) }),
    watch: (onHint, signal) =>
      cluster.watch((hint) => {
        onHint(hint.live === undefined ? hint : { ...hint, live: own(hint.live) });
      }, signal),
  };
}

function withNamedLabels(live: LiveWorkload, keys: readonly string[]): LiveWorkload {
  const named = keys
    .filter((key) => Object.hasOwn(live.labels, key))
    .map((key) => [key, live.labels[key] ?? ""] as const);
  return named.length === 0 ? live : { ...live, namedLabels: Object.fromEntries(named) };
}

function underOwnHost(receiver: PushReceiver, aliases: RegistryAliases): PushReceiver {
  return {
    ...receiver,
    async receive(request) {
      const received = await receiver.receive(request);
      if (received.kind !== "pushes") return received;
      const pushes = received.pushes.map((push) => ({ ...push, registry: ownHost(push.registry, aliases) }));
      return { ...received, pushes };
    },
  };
}

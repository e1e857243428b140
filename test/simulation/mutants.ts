import type { WorkloadPatch } from "#domain/patch";
import { fenceLabel, workloadKey } from "#domain/workload";
import type { MemoryCluster } from "#adapters/memory/cluster";
import type { Ports } from "#app/ports";
import type { Cluster, PatchOutcome } from "#ports/cluster";
import type { TagListing } from "#ports/registry";
import type { Tamper } from "./installation.ts";

/** A part of the world that breaks a rule, and the rules of which at least one has to be seen broken. */
export interface Mutant {
  readonly what: string;
  readonly tamper: Tamper;
  readonly caughtBy: readonly string[];
}

/** Parts that break a rule each. */
export const mutants: readonly Mutant[] = [
  {
    what: "a store that ignores the version condition",
    caughtBy: ["S11"],
    tamper: (ports, { table }) => ({
      ...ports,
      store: {
        ...ports.store,
        write: async (record) => {
          const outcome = await ports.store.write(record);
          if (outcome.kind === "conflict") table.records.set(workloadKey(record.workload), structuredClone(record));
          return { kind: "written" };
        },
      },
    }),
  },
  {
    what: "a cluster that ignores the guards of a patch",
    caughtBy: ["S1"],
    tamper: withPatch((patch, cluster) => cluster.patch(unguarded(patch, cluster), signal)),
  },
  {
    what: "a registry whose listing stops early",
    caughtBy: ["L2"],
    tamper: (ports) => ({
      ...ports,
      registry: { ...ports.registry, tags: async (...asked) => shorter(await ports.registry.tags(...asked)) },
    }),
  },
  {
    what: "a cluster that changes more than the patch says",
    caughtBy: ["S8"],
    tamper: withPatch(async (patch, cluster) => {
      const outcome = await cluster.patch(patch, signal);
      if (outcome.kind === "written" && patch.workload.kind !== "CronJob") cluster.scale(patch.workload, 7);
      return outcome;
    }),
  },
  {
    what: "a quarantine that nobody hears of",
    caughtBy: ["S12"],
    tamper: (ports) => ({ ...ports, quarantine: { ...ports.quarantine, among: async () => [] } }),
  },
  {
    what: "a bus that loses facts",
    caughtBy: ["S9"],
    tamper: (ports) => ({
      ...ports,
      bus: { publish: (events) => ports.bus.publish(events.filter(({ name }) => name !== "RolloutStarted")) },
    }),
  },
  {
    what: "queues that say that work was sent before it is",
    caughtBy: ["S14"],
    tamper: (ports) => ({
      ...ports,
      queues: { send: (all) => ports.queues.send(all.filter(({ work }) => work.command !== "CheckRollout")) },
    }),
  },
  {
    what: "an index of what is due that shows nothing, so that the reaper is blind",
    caughtBy: ["L1", "L2", "L3", "L4"],
    tamper: (ports) => ({ ...ports, store: { ...ports.store, due: async () => [] } }),
  },
  {
    what: "a burst that is never evaluated",
    caughtBy: ["L2"],
    tamper: (ports) => ({ ...ports, bursts: { ...ports.bursts, begin: async () => "joined" } }),
  },
  {
    what: "a list of repositories that is empty, so that the sweep is blind",
    caughtBy: ["L2"],
    tamper: (ports) => ({ ...ports, repositories: { ...ports.repositories, list: async () => [] } }),
  },
  {
    what: "queues that make two of each message",
    caughtBy: ["L5"],
    tamper: (ports) => ({
      ...ports,
      queues: { send: (all) => ports.queues.send(all.flatMap((sending) => [sending, sending])) },
    }),
  },
];

const { signal } = new AbortController();

function withCluster(ports: Ports, cluster: Cluster): Ports {
  return { ...ports, clusters: { names: () => ports.clusters.names(), cluster: () => cluster } };
}

function withPatch(patch: (patch: WorkloadPatch, cluster: MemoryCluster) => Promise<PatchOutcome>): Tamper {
  return (ports, { cluster }) => withCluster(ports, { ...cluster, patch: (one) => patch(one, cluster) });
}

/** The patch as if it had been made from the object as it is now. */
function unguarded(patch: WorkloadPatch, cluster: MemoryCluster): WorkloadPatch {
  const object = cluster.object(patch.workload);
  if (object === undefined) return patch;
  const { uid, generation, labels, annotations } = object.metadata;
  const template = object.spec.template ?? object.spec.jobTemplate?.spec.template;
  const stands = (name: string): string => template?.spec.containers.find((one) => one.name === name)?.image ?? "";
  return {
    ...patch,
    uid,
    generation,
    maps: { ...patch.maps, labels: labels !== undefined, annotations: annotations !== undefined },
    images: patch.images.map((image) => ({ ...image, from: stands(image.name) })),
    fence: { ...patch.fence, from: labels?.[fenceLabel] },
    unchangedAnnotations: {},
  };
}

function shorter(listing: TagListing): TagListing {
  return listing.kind === "tags" ? { kind: "tags", tags: listing.tags.slice(0, -1) } : listing;
}

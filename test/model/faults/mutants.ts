import { imageNameOf } from "#domain/image/reference";
import { updateLabelKey, type LiveWorkload } from "#domain/workload/workload";
import type { WorkloadPatch } from "#domain/workload/patch";
import type { MemoryCluster } from "#test/model/world/cluster-hands";
import type { Ports } from "#app/shared/ports";
import type { Cluster, PatchOutcome } from "#ports/cluster";
import type { ManifestRead, Registry, TagListing } from "#ports/registry";
import type { Tamper } from "#test/model/world/installation";
import type { HistoryMutant } from "./mutant.ts";
import { requests } from "./mutants-control.ts";
import { definitions } from "./mutants-definitions.ts";
import { tiers } from "./mutants-tiers.ts";
import { withoutBlocked, withRecords } from "./with-records.ts";
import { ages, budgets, gates, restarts, votes } from "./mutants-gates.ts";

const { signal } = new AbortController();

const stores: readonly HistoryMutant[] = [
  {
    what: "a store that ignores the version condition",
    caughtBy: "S11",
    tamper: (ports, { stored }) => ({
      ...ports,
      store: {
        ...ports.store,
        write: async (record) => {
          const outcome = await ports.store.write(record);
          if (outcome.kind === "conflict") stored.overwrite(record);
          return { kind: "written" };
        },
      },
    }),
  },
  {
    what: "a store that forgets users' reverts and manual changes",
    caughtBy: "S2",
    firstSeed: 530,
    tamper: withRecords(({ hold, ...record }) => withoutBlocked(record, "changed-by-hand")),
  },
  {
    what: "a store that forgets blocked digests",
    caughtBy: "S3",
    firstSeed: 16,
    tamper: withRecords((record) => withoutBlocked(withoutBlocked(record, "rollout-failed"), "rollout-timed-out")),
  },
  {
    what: "a store that forgets active updates",
    caughtBy: "S5",
    firstSeed: 30,
    tamper: withRecords(({ active, ...record }) => record),
  },
  {
    what: "an empty index of due records, so that the reaper finds no record",
    caughtBy: "L4",
    firstSeed: 5013,
    tamper: (ports) => ({ ...ports, store: { ...ports.store, due: async () => [] } }),
  },
];

const clusters: readonly HistoryMutant[] = [
  {
    what: "a cluster that ignores the guards of a patch",
    caughtBy: "S1",
    firstSeed: 109,
    tamper: withPatch((patch, cluster) => cluster.patch(unguarded(patch, cluster), signal)),
  },
  {
    what: "a cluster that does not report who set an image",
    caughtBy: "S4",
    firstSeed: 442,
    tamper: (ports, { cluster }) =>
      withCluster(ports, {
        ...cluster,
        read: async (...asked) => {
          const read = await cluster.read(...asked);
          return read.kind === "found" ? { ...read, live: anonymous(read.live) } : read;
        },
        health: async (...asked) => {
          const health = await cluster.health(...asked);
          return "live" in health ? { ...health, live: anonymous(health.live) } : health;
        },
      }),
  },
  {
    what: "a cluster that writes one label for every update",
    caughtBy: "S7",
    firstSeed: 312,
    tamper: withPatch((patch, cluster) =>
      cluster.patch({ ...patch, updateLabel: { ...patch.updateLabel, to: "abc123-1" } }, signal),
    ),
  },
  {
    what: "a cluster that changes more than the patch contains",
    caughtBy: "S8",
    tamper: withPatch(async (patch, cluster) => {
      const outcome = await cluster.patch(patch, signal);
      if (outcome.kind === "written" && patch.workload.kind !== "CronJob") cluster.scale(patch.workload, 7);
      return outcome;
    }),
  },
  {
    what: "a cluster that claims to be overloaded after it has written a patch",
    caughtBy: "S11",
    tamper: withPatch(async (patch, cluster) => {
      const outcome = await cluster.patch(patch, signal);
      return outcome.kind === "written" ? { kind: "unreachable", detail: "simulated lie" } : outcome;
    }),
  },
  {
    what: "a cluster that reports one digest of each container, whatever its pods run",
    caughtBy: "L9",
    firstSeed: 5132,
    tamper: (ports, { cluster }) =>
      withCluster(ports, {
        ...cluster,
        runningImages: async (...asked) => {
          const read = await cluster.runningImages(...asked);
          if (read.kind !== "running") return read;
          const firsts = Object.entries(read.images).map(([name, digests]) => [name, digests.slice(0, 1)]);
          return { kind: "running", images: Object.fromEntries(firsts) as typeof read.images };
        },
      }),
  },
  {
    what: "a cluster that does not name the containers that fail",
    caughtBy: "L2",
    firstSeed: 5029,
    tamper: (ports, { cluster }) =>
      withCluster(ports, {
        ...cluster,
        health: async (...asked) => {
          const health = await cluster.health(...asked);
          if (health.kind !== "failed") return health;
          const { containers, ...rest } = health;
          return rest;
        },
      }),
  },
  {
    what: "a cluster whose pods neither become ready nor fail",
    caughtBy: "L3",
    tamper: (ports, { cluster }) =>
      withCluster(ports, {
        ...cluster,
        health: async (...asked) => {
          const health = await cluster.health(...asked);
          return "live" in health ? { kind: "waiting", live: health.live, why: "paused" } : health;
        },
      }),
  },
];

const registries: readonly HistoryMutant[] = [
  {
    what: "a registry whose listing stops early",
    caughtBy: "L2",
    tamper: (ports) => ({
      ...ports,
      registry: { ...ports.registry, tags: async (...asked) => shorter(await ports.registry.tags(...asked)) },
    }),
  },
  {
    what: "a registry that sometimes answers the first digest of a tag",
    caughtBy: "S13",
    firstSeed: 546,
    tamper: (ports) => ({ ...ports, registry: { ...ports.registry, resolve: forgetful(ports.registry) } }),
  },
];

const told: readonly HistoryMutant[] = [
  {
    what: "a queue that loses a delivery that comes later",
    caughtBy: "S25",
    channels: true,
    tamper: (ports) => ({
      ...ports,
      queues: { send: (all) => ports.queues.send(all.filter(({ command }) => command.name !== "Deliver")) },
    }),
  },
  {
    what: "a store that answers what a push led to as it was at first",
    caughtBy: "S25",
    channels: true,
    tamper: (ports) => {
      const first = new Map<string, ReturnType<typeof ports.pushes.stepsOf>>();
      const stepsOf: typeof ports.pushes.stepsOf = (push) => {
        const steps = first.get(push) ?? ports.pushes.stepsOf(push);
        first.set(push, steps);
        return steps;
      };
      return { ...ports, pushes: { ...ports.pushes, stepsOf } };
    },
  },
  {
    what: "a ledger that shows channels no recovery",
    caughtBy: "S25",
    channels: true,
    tamper: (ports) => ({
      ...ports,
      ledger: {
        ...ports.ledger,
        read: async (key, limit) =>
          (await ports.ledger.read(key, limit)).filter(({ transition: { what } }) => what !== "succeeded"),
      },
    }),
  },
];

const messages: readonly HistoryMutant[] = [
  {
    what: "a bus that loses facts",
    caughtBy: "S9",
    tamper: (ports) => ({
      ...ports,
      bus: { publish: (events) => ports.bus.publish(events.filter(({ name }) => name !== "RolloutStarted")) },
    }),
  },
  {
    what: "queues that confirm a command before they store it",
    caughtBy: "S14",
    tamper: (ports) => ({
      ...ports,
      queues: { send: (all) => ports.queues.send(all.filter(({ command }) => command.name !== "CheckRollout")) },
    }),
  },
  {
    what: "coalesced pushes that are never evaluated",
    caughtBy: "L2",
    tamper: (ports) => ({ ...ports, pushCoalescing: { ...ports.pushCoalescing, begin: async () => "joined" } }),
  },
  {
    what: "an empty list of repositories, so that no repository is swept",
    caughtBy: "L2",
    firstSeed: 104,
    tamper: (ports) => ({ ...ports, repositories: { ...ports.repositories, list: async () => [] } }),
  },
  {
    what: "queues that make two of each message",
    caughtBy: "L5",
    tamper: (ports) => ({
      ...ports,
      queues: { send: (all) => ports.queues.send(all.flatMap((sending) => [sending, sending])) },
    }),
  },
];

/** The faulty parts. Every rule of the simulation has at least one. */
export const historyMutants: readonly HistoryMutant[] = [
  ...stores,
  ...clusters,
  ...registries,
  ...gates,
  ...restarts,
  ...ages,
  ...votes,
  ...budgets,
  ...requests,
  ...messages,
  ...told,
  ...tiers,
  ...definitions,
];

function withCluster(ports: Ports, cluster: Cluster): Ports {
  return { ...ports, clusters: { names: () => ports.clusters.names(), cluster: () => cluster } };
}

function withPatch(patch: (patch: WorkloadPatch, cluster: MemoryCluster) => Promise<PatchOutcome>): Tamper {
  return (ports, { cluster }) => withCluster(ports, { ...cluster, patch: (one) => patch(one, cluster) });
}

/** Returns a patch with the guards of the current object. */
function unguarded(patch: WorkloadPatch, cluster: MemoryCluster): WorkloadPatch {
  const object = cluster.object(patch.workload);
  if (object === undefined) return patch;
  const { uid, generation, labels, annotations } = object.metadata;
  const template = object.spec.template ?? object.spec.jobTemplate?.spec.template;
  const stands = (name: string): string => template?.spec.containers.find((one) => one.name === name)?.image ?? "";
  const { unchangedAnnotations: _, ...rest } = patch;
  return {
    ...rest,
    uid,
    generation,
    existingMaps: { ...patch.existingMaps, labels: labels !== undefined, annotations: annotations !== undefined },
    images: patch.images.map((image) => ({ ...image, from: stands(image.name) })),
    updateLabel: { ...patch.updateLabel, from: labels?.[updateLabelKey] },
  };
}

function anonymous(live: LiveWorkload): LiveWorkload {
  return { ...live, containers: live.containers.map(({ imageOwner, ...container }) => container) };
}

function shorter(listing: TagListing): TagListing {
  return listing.kind === "tags" ? { kind: "tags", tags: listing.tags.slice(0, -1) } : listing;
}

/** Returns a resolver that answers every third request with the tag's first digest. */
function forgetful(registry: Registry): Registry["resolve"] {
  const first = new Map<string, ManifestRead>();
  let asked = 0;
  return async (name, tag, ...rest) => {
    const read = await registry.resolve(name, tag, ...rest);
    const key = `${imageNameOf(name)}:${tag}`;
    if (!first.has(key)) first.set(key, read);
    asked += 1;
    return asked % 3 === 0 ? (first.get(key) ?? read) : read;
  };
}

import { bindingHash, bindingOf } from "#domain/approval/binding";
import type { Vote } from "#domain/approval/votes";
import type { StoredSighting } from "#domain/policy/tag-age";
import type { TaggedImage } from "#domain/policy/tag-history";
import { type EpochMs, epochMs } from "#domain/shared/time";
import { workloadKey } from "#domain/workload/workload";
import type { Sightings } from "#ports/sightings";
import type { Tamper } from "#test/model/world/installation";
import { voters } from "#test/model/world/voters";
import type { HistoryMutant } from "./mutant.ts";

/** Faulty gates. */
export const gates: readonly HistoryMutant[] = [
  {
    what: "a quarantine that no function sees",
    caughtBy: "S12",
    firstSeed: 133,
    tamper: (ports) => ({ ...ports, quarantine: { ...ports.quarantine, among: async () => [] } }),
  },
  {
    what: "a quarantine that contains every digest",
    caughtBy: "L1",
    tamper: (ports) => ({
      ...ports,
      quarantine: {
        ...ports.quarantine,
        among: async (digests) =>
          digests.map((digest) => ({ digest, why: "CVE", by: "nobody", at: ports.clock.now() })),
      },
    }),
  },
  {
    what: "a record that forgets which digests an applied manifest took off the object",
    caughtBy: "S2 (applied)",
    firstSeed: 5014,
    tamper: (ports) => ({
      ...ports,
      store: {
        ...ports.store,
        write: async (record) => {
          const { restored, ...forgetful } = record;
          return ports.store.write(restored === undefined ? record : forgetful);
        },
      },
    }),
  },
  {
    what: "a record that forgets which pulls a registry limited",
    caughtBy: "S3 (limited)",
    firstSeed: 28,
    tamper: (ports) => ({
      ...ports,
      store: {
        ...ports.store,
        write: async (record) => {
          const { limited, ...forgetful } = record;
          return ports.store.write(limited === undefined ? record : forgetful);
        },
      },
    }),
  },
  {
    what: "a freeze that no function sees after the intent to patch is stored",
    caughtBy: "S12",
    firstSeed: 5036,
    tamper: (ports, { stored }) => ({
      ...ports,
      freezes: {
        ...ports.freezes,
        list: async () => {
          const intended = [...stored.records().values()].some(({ active }) => active?.status === "patching");
          return intended ? [] : ports.freezes.list();
        },
      },
    }),
  },
  {
    what: "an end of a freeze that sends no Wake, without a second check",
    caughtBy: "L1",
    firstSeed: 33,
    tamper: (ports) => ({
      ...ports,
      queues: {
        send: (all) =>
          ports.queues.send(
            all.filter(({ command }) => !("requestedBy" in command && command.requestedBy.startsWith("unfreeze:"))),
          ),
      },
    }),
  },
];

/** Faulty proofs of restarts. */
export const restarts: readonly HistoryMutant[] = [
  {
    what: "a cluster that reports for each restarted pod the wanted digest",
    caughtBy: "S16",
    firstSeed: 5050,
    tamper: (ports, { stored }) => ({
      ...ports,
      clusters: {
        ...ports.clusters,
        cluster: (name) => {
          const cluster = ports.clusters.cluster(name);
          return (
            cluster && {
              ...cluster,
              runningImages: async (live, signal) => {
                const active = stored.records().get(workloadKey(live.workload))?.active;
                if (active?.status !== "rolling-out") return cluster.runningImages(live, signal);
                const wanted = active.changes.map((change) => [change.name, [change.digest]] as const);
                return { kind: "running", images: Object.fromEntries(wanted) };
              },
            }
          );
        },
      },
    }),
  },
];

/** Faulty minimum ages. */
export const ages: readonly HistoryMutant[] = [
  {
    what: "a minimum age that no gate checks, so that each image is old enough",
    caughtBy: "S12",
    tamper: withSightings(async (images) =>
      images.map((image) => ({ ...image, seenAt: epochMs(0), keptUntil: epochMs(0) })),
    ),
  },
  {
    what: "an age that does not restart when a tag moves to another digest",
    caughtBy: "S12",
    firstSeed: 212,
    tamper: (ports, around) => {
      const firstOfTag = new Map<string, EpochMs>();
      const remembering = withSightings(async (images, sightings) =>
        (await sightings.among(images)).map((sighting) => {
          const tag = `${sighting.imageName}:${sighting.tag}`;
          const seenAt = firstOfTag.get(tag) ?? sighting.seenAt;
          firstOfTag.set(tag, seenAt);
          return { ...sighting, seenAt };
        }),
      );
      return remembering(ports, around);
    },
  },
  {
    what: "a store of sightings that forgets each image, so that no image is ever old enough",
    caughtBy: "L1",
    firstSeed: 90,
    tamper: withSightings(async () => []),
  },
];

function withSightings(
  among: (images: readonly TaggedImage[], sightings: Sightings) => Promise<readonly StoredSighting[]>,
): Tamper {
  return (ports) => ({
    ...ports,
    sightings: { ...ports.sightings, among: (images) => among(images, ports.sightings) },
  });
}

/** Faulty votes. */
export const votes: readonly HistoryMutant[] = [
  {
    what: "a person who has the vote of everyone",
    caughtBy: "S10",
    firstSeed: 90,
    tamper: withVotes((all) => all.flatMap((vote) => voters.map((person) => ({ ...vote, person })))),
  },
  {
    what: "a rejection that is stored, but ends no update",
    caughtBy: "S6",
    firstSeed: 3_317,
    tamper: (ports, installation) => {
      const { stored } = installation;
      const approving = withVotes((all) => all.filter(({ decision }) => decision === "approve"))(ports, installation);
      return {
        ...approving,
        store: {
          ...approving.store,
          write: async (record) => {
            const before = stored.records().get(workloadKey(record.workload));
            const { version, cause, changedAt, transitions, effects } = record;
            const { vote } = effects;
            if (vote?.decision !== "reject" || before?.pending === undefined) return approving.store.write(record);
            return approving.store.write({
              ...before,
              version,
              cause,
              changedAt,
              transitions,
              effects: { ...before.effects, vote },
            });
          },
        },
      };
    },
  },
  {
    what: "a gate that sees approvals without votes",
    caughtBy: "S12",
    tamper: (ports, { stored }) => ({
      ...ports,
      store: {
        ...ports.store,
        votes: async (key) => {
          const record = stored.records().get(key);
          const update = record?.active ?? record?.pending;
          if (record === undefined || update === undefined) return [];
          const binding = bindingOf({ uid: record.uid, annotations: record.observed.annotations, update });
          const about = { decision: "approve", binding, bindingHash: bindingHash(binding) } as const;
          return voters.map((person) => ({ person, proof: { kind: "token" }, ...about, at: ports.clock.now() }));
        },
      },
    }),
  },
];

function withVotes(change: (all: readonly Vote[]) => readonly Vote[]): Tamper {
  return (ports) => ({
    ...ports,
    store: { ...ports.store, votes: async (key, seq) => change(await ports.store.votes(key, seq)) },
  });
}

/** Faulty budgets. */
export const budgets: readonly HistoryMutant[] = [
  {
    what: "an ending that keeps its slot",
    caughtBy: "L3",
    tamper: (ports) => ({
      ...ports,
      store: {
        ...ports.store,
        write: async (record) => {
          const { frees, ...budget } = record.effects.budget ?? {};
          const effects = { ...record.effects, budget };
          return ports.store.write(record.active === undefined ? { ...record, effects } : record);
        },
      },
    }),
  },
  {
    what: "a budget without a condition, so that two updates take one slot",
    caughtBy: "S5",
    firstSeed: 13,
    tamper: (ports, { stored }) => ({
      ...ports,
      store: {
        ...ports.store,
        slots: async () => [],
        write: async (record) => {
          const { takes } = record.effects.budget ?? {};
          if (takes !== undefined) stored.freeSlot(record.workload.cluster, takes);
          return ports.store.write(record);
        },
      },
    }),
  },
  {
    what: "an empty list of workloads that wait for a slot, so that no workload gets a free slot",
    caughtBy: "L6",
    firstSeed: 13,
    tamper: (ports) => ({ ...ports, store: { ...ports.store, waiters: async () => [] } }),
  },
];

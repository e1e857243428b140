import { workloadKey } from "#domain/workload";
import type { Tamper } from "#test/simulation/installation";
import { mutants as ruleBreakers } from "#test/simulation/mutants";

/** A part that breaks a rule only when somebody dies. */
export interface Mutant {
  readonly what: string;
  readonly tamper: Tamper;
}

export const mutants: readonly Mutant[] = [
  {
    what: "a queue that forgets a message when it hands it out",
    tamper: (ports, { mailbox }) => {
      const put = mailbox.put.bind(mailbox);
      mailbox.put = (message) => (message.receives > 0 ? { ...message, number: 0 } : put(message));
      return ports;
    },
  },
  {
    what: "an outbox that forgets changes when it hands them out",
    tamper: (ports) => ({
      ...ports,
      changes: {
        ...ports.changes,
        take: async (limit) => {
          const changes = await ports.changes.take(limit);
          await ports.changes.done(changes);
          return changes;
        },
      },
    }),
  },
  {
    what: "a ledger that stores a row each time it is told",
    tamper: (ports) => {
      const rows: Parameters<typeof ports.ledger.append>[0][number][] = [];
      return {
        ...ports,
        ledger: {
          append: async (a) => {
            rows.push(...a);
          },
          read: async (key) => rows.filter((r) => r.workload === key),
        },
      };
    },
  },
  {
    what: "a store that forgets who wrote",
    tamper: (ports) => ({
      ...ports,
      store: { ...ports.store, write: (record) => ports.store.write({ ...record, cause: "somebody" }) },
    }),
  },
  {
    what: "a store that writes whatever version is stored",
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
  { what: "reaper blind", tamper: ruleBreakers.find((m) => m.what.includes("reaper"))!.tamper },
  { what: "guards", tamper: ruleBreakers.find((m) => m.what.includes("guards"))!.tamper },
  {
    what: "a cluster that shows no label of Lookout",
    tamper: (ports, { cluster }) => ({
      ...ports,
      clusters: {
        names: () => ports.clusters.names(),
        cluster: () => ({
          ...cluster,
          read: async (...a) => {
            const r = await cluster.read(...a);
            return r.kind === "found" ? { ...r, live: { ...r.live, fence: undefined } as never } : r;
          },
        }),
      },
    }),
  },
  {
    what: "a burst whose holder is not known again",
    tamper: (ports) => {
      const held = new Set<string>();
      return {
        ...ports,
        bursts: {
          begin: async (name, push, now) => {
            if (held.has(name.repository)) return "joined";
            held.add(name.repository);
            return ports.bursts.begin(name, push, now);
          },
          end: async (name, push, now) => {
            held.delete(name.repository);
            return ports.bursts.end(name, push, now);
          },
        },
      };
    },
  },
];

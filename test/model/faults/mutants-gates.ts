import type { HistoryMutant } from "./mutant.ts";

/** Gates that break a rule each. */
export const gates: readonly HistoryMutant[] = [
  {
    what: "a quarantine that nobody hears of",
    caughtBy: "S12",
    tamper: (ports) => ({ ...ports, quarantine: { ...ports.quarantine, among: async () => [] } }),
  },
  {
    what: "a quarantine that knows of every digest",
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
    what: "a freeze that nobody hears of once the intent to patch is stored",
    caughtBy: "S12",
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
    what: "an end of a freeze that wakes nobody, and no second look",
    caughtBy: "L1",
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

/** Budgets that break a rule each. */
export const budgets: readonly HistoryMutant[] = [
  {
    what: "an ending that keeps its slot",
    caughtBy: "L3",
    tamper: (ports) => ({
      ...ports,
      store: {
        ...ports.store,
        write: async (record) => {
          const { frees, ...kept } = record.budget ?? {};
          return ports.store.write(record.active === undefined ? { ...record, budget: kept } : record);
        },
      },
    }),
  },
  {
    what: "a budget that is not asked, so that a slot is taken whoever has it",
    caughtBy: "S5",
    tamper: (ports, { stored }) => ({
      ...ports,
      store: {
        ...ports.store,
        slots: async () => [],
        write: async (record) => {
          const { takes } = record.budget ?? {};
          if (takes !== undefined) stored.freeSlot(record.workload.cluster, takes);
          return ports.store.write(record);
        },
      },
    }),
  },
  {
    what: "a list of those who wait for a slot that is empty, so that it is handed to nobody",
    caughtBy: "L6",
    tamper: (ports) => ({ ...ports, store: { ...ports.store, waiters: async () => [] } }),
  },
];

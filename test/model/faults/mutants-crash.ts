import type { LedgerRow } from "#ports/ledger";
import type { CrashMutant } from "./mutant.ts";

const firstUpdate = "a workload is tracked for the first time, and updated";

/** Parts whose faults only show if a function is killed. */
export const crashMutants: readonly CrashMutant[] = [
  {
    what: "a queue that forgets a message at its delivery, before its work is stored",
    shownBy: firstUpdate,
    tamper: (ports, { mailbox }) => {
      const put = mailbox.put.bind(mailbox);
      mailbox.put = (message) => (message.receives > 0 ? { ...message, number: 0 } : put(message));
      return ports;
    },
  },
  {
    what: "an outbox that forgets changes when it hands them out, before they are published",
    shownBy: firstUpdate,
    tamper: (ports) => ({
      ...ports,
      changes: {
        ...ports.changes,
        take: async (limit) => {
          const taken = await ports.changes.take(limit);
          await ports.changes.done(taken);
          return taken;
        },
      },
    }),
  },
  {
    what: "a ledger that stores a repeated row again",
    shownBy: firstUpdate,
    tamper: (ports) => {
      const rows: LedgerRow[] = [];
      return {
        ...ports,
        ledger: {
          append: async (added) => rows.push(...added) > 0,
          read: async (workload, limit) =>
            rows
              .filter((row) => row.workload === workload)
              .toReversed()
              .slice(0, limit),
        },
      };
    },
  },
  {
    what: "a store that forgets which check wrote a record, so that the repeated message counts as stale",
    shownBy: "an ordered StatefulSet is rolled back, and its stuck pod freed",
    tamper: (ports) => ({
      ...ports,
      store: {
        ...ports.store,
        write: (record) =>
          ports.store.write(record.cause.startsWith("CheckRollout:") ? { ...record, cause: "somebody" } : record),
      },
    }),
  },
  {
    what: "a push coalescing that does not recognise the redelivered push of its holder",
    shownBy: firstUpdate,
    tamper: (ports) => {
      let held = false;
      return {
        ...ports,
        pushCoalescing: {
          begin: (...asked) => {
            const joined = held;
            held = true;
            return joined ? Promise.resolve("joined") : ports.pushCoalescing.begin(...asked);
          },
          end: (...asked) => {
            held = false;
            return ports.pushCoalescing.end(...asked);
          },
        },
      };
    },
  },
];

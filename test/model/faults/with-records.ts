import type { WorkloadRecord } from "#domain/update/state/workload";
import type { Tamper } from "#test/model/world/installation";

/** Returns a tamper whose store shows records otherwise than they are stored. */
export function withRecords(shown: (record: WorkloadRecord) => WorkloadRecord): Tamper {
  return (ports) => ({
    ...ports,
    store: {
      ...ports.store,
      read: async (key) => {
        const record = await ports.store.read(key);
        return record && shown(record);
      },
      readMany: async (keys) => (await ports.store.readMany(keys)).map(shown),
    },
  });
}

/** Returns a record without the digests that are blocked for a reason. */
export function withoutBlocked(record: WorkloadRecord, forgotten: string): WorkloadRecord {
  return { ...record, blocked: record.blocked.filter(({ reason }) => reason !== forgotten) };
}

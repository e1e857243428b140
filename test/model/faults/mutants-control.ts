import type { WorkloadRecord } from "#domain/update/state/workload";
import { workloadKey } from "#domain/workload/workload";
import type { HistoryMutant } from "./mutant.ts";
import { withoutBlocked, withRecords } from "./with-records.ts";

/** Faulty answers to what people request. People make requests in all histories of these worlds. */
export const requests: readonly HistoryMutant[] = [
  {
    what: "a store that forgets which versions people requested",
    caughtBy: "S21",
    firstSeed: 5063,
    peopleControl: true,
    tamper: withRecords(({ kept, ...record }) => record),
  },
  {
    what: "a store that forgets with a request which tags its workload left",
    caughtBy: "S21",
    firstSeed: 5174,
    peopleControl: true,
    tamper: withRecords(({ left, ...record }) => ({ ...record, ...(record.kept && left && { left }) })),
  },
  {
    what: "a store that forgets which tags people skip",
    caughtBy: "S22",
    firstSeed: 60,
    peopleControl: true,
    tamper: withRecords(({ skips, ...record }) => record),
  },
  {
    what: "a store that forgets that a person suspended a workload",
    caughtBy: "S23",
    firstSeed: 63,
    peopleControl: true,
    tamper: withRecords(({ suspension, ...record }) => record),
  },
  {
    what: "a store that takes every update of a workload for a requested rollback",
    caughtBy: "S24",
    peopleControl: true,
    tamper: withRecords(({ pending, ...record }) => ({
      ...record,
      ...(pending && { pending: { ...pending, requested: { as: "rollback", by: "eva", why: "checkout fails" } } }),
    })),
  },
  {
    what: "a store that forgets the digests that requested rollbacks left",
    caughtBy: "S3 (requested)",
    firstSeed: 603,
    peopleControl: true,
    tamper: withRecords((record) => withoutBlocked(record, "rollback-requested")),
  },
  {
    what: "a store that lets a workload go back to the image before its last update, unasked",
    caughtBy: "S13",
    firstSeed: 14,
    peopleControl: true,
    tamper: withRecords(wantingTheFormer),
  },
  {
    what: "a release past gates that holds for every later update of the workload",
    caughtBy: "S12",
    firstSeed: 20,
    peopleControl: true,
    tamper: (ports, around) => {
      const released = new Map<string, NonNullable<WorkloadRecord["pending"]>["passes"]>();
      return withRecords(({ pending, ...record }) => {
        const key = workloadKey(record.workload);
        if (pending?.passes !== undefined) released.set(key, pending.passes);
        const passes = released
          .get(key)
          ?.map((one) => ({ ...one, digests: pending?.changes.map(({ digest }) => digest) ?? [] }));
        return { ...record, ...(pending && { pending: { ...pending, ...(passes && { passes }) } }) };
      })(ports, around);
    },
  },
];

/** Returns a record that keeps the image that its last update replaced. */
function wantingTheFormer(record: WorkloadRecord): WorkloadRecord {
  const { landed, kept } = record;
  const [change] = landed?.changes ?? [];
  if (kept !== undefined || change?.fromDigest === undefined) return record;
  const { list, name, imageName, from, fromDigest, tag, digest } = change;
  const former = { tag: from.split("@")[0]?.split(":").at(-1) ?? tag, digest: fromDigest, platforms: [] };
  const request = { as: "set", by: "nobody", why: "", at: record.changedAt } as const;
  return {
    ...record,
    kept: [{ ...request, list, container: name, imageName, ...former, seq: record.seq, newest: { tag, digest } }],
  };
}

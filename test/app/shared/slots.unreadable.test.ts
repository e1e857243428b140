import { expect, it } from "vitest";
import { waitersFor } from "#app/shared/slots";
import { workloadKey } from "#domain/workload/workload";
import { aRecord } from "#test/domain/builders";

const waiting = ["one", "two", "three"].map((name) => {
  const record = aRecord();
  return { ...record, workload: { ...record.workload, namespace: name } };
});
const keys = waiting.map(({ workload }) => workloadKey(workload));

it("a workload whose record can't be read keeps no slot from the others", async () => {
  const damaged = new Set(keys.slice(0, 2));
  const store = {
    waiters: async () => keys,
    readMany: async (asked: readonly string[]) =>
      waiting.filter(({ workload }) => asked.includes(workloadKey(workload)) && !damaged.has(workloadKey(workload))),
  };

  expect(await waitersFor("prod", [], 1, store)).toEqual(keys.slice(2));
  damaged.clear();
  expect(await waitersFor("prod", [], 1, store)).toEqual(keys);
});

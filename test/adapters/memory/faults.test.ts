import { describe, expect, it } from "vitest";
import { memoryTable, memoryWorkloadStore } from "#adapters/memory/workload-store";
import { workloadKey } from "#domain/workload";
import { TransientError } from "#ports/errors";
import { deployment, firstRecord } from "#test/contracts/records";

const record = firstRecord(deployment("api"));
const key = workloadKey(record.workload);

describe("a method that is made to fail", () => {
  it("has done nothing, and the next call succeeds", async () => {
    const store = memoryWorkloadStore(memoryTable());
    const lost = new TransientError("no connection");
    store.failNext(lost);
    await expect(store.write(record)).rejects.toBe(lost);
    expect(await store.read(key)).toBeUndefined();
  });

  it("has done its work when only the answer was lost", async () => {
    const store = memoryWorkloadStore(memoryTable());
    const lost = new TransientError("no answer");
    store.failNext(lost, "after");
    await expect(store.write(record)).rejects.toBe(lost);
    expect(await store.read(key)).toEqual(record);
    expect(await store.write(record)).toEqual({ kind: "written" });
  });

  it("fails as often as it was told to, in that order", async () => {
    const store = memoryWorkloadStore(memoryTable());
    const [first, second] = [new TransientError("first"), new TransientError("second")];
    store.failNext(first);
    store.failNext(second);
    await expect(store.read(key)).rejects.toBe(first);
    await expect(store.read(key)).rejects.toBe(second);
    expect(await store.read(key)).toBeUndefined();
  });
});

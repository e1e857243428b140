import { beforeEach, expect, it } from "vitest";
import { plus, seconds } from "#domain/shared/time";
import { workloadKey } from "#domain/workload/workload";
import type { WorkloadStore } from "#ports/store";
import { aPending } from "#test/domain/builders";
import { deployment, firstRecord, nextRecord, start } from "./records.ts";
import type { WorkloadStoreBed } from "./workload-store.contract.ts";

const api = deployment("api");
const key = workloadKey(api);
const old = firstRecord(api, { version: 7, seq: 3, effects: { dueAt: start } });

/** What every store of workloads does with the records of another installation. */
export function restoreContract(makeBed: () => Promise<WorkloadStoreBed>): void {
  let bed: WorkloadStoreBed;
  let store: WorkloadStore;
  beforeEach(async () => {
    bed = await makeBed();
    store = bed.store();
  });

  it("a restored record of any version continues from there", async () => {
    expect(await store.restore(old)).toEqual({ kind: "written" });
    expect(await store.read(key)).toEqual(old);
    expect(await store.workloadIndex("prod")).toEqual([key]);
    expect(await store.due(plus(start, seconds(1)), 10)).toEqual([key]);
    expect(await store.write(nextRecord(old))).toEqual({ kind: "written" });
  });

  it("a restored record may be restored again, and never replaces another", async () => {
    await store.restore(old);

    expect(await store.restore(old)).toEqual({ kind: "written" });
    expect(await store.restore({ ...old, version: 8 })).toEqual({ kind: "conflict" });
    expect(await store.read(key)).toEqual(old);
  });

  it("a restored update takes its slot", async () => {
    await store.restore({ ...old, effects: { budget: { takes: 4 } } });

    expect(await store.slots("prod")).toEqual([{ slot: 4, workload: key }]);
  });

  it("a restored update that waits for approval is listed", async () => {
    const approval = { askedAt: start, bindingHash: "0".repeat(64), approvedBy: [] };
    await store.restore({ ...old, pending: aPending({ approval }), effects: { approvalWait: "begins" } });

    expect(await store.awaitingApproval("prod")).toEqual([key]);
  });

  it("an installation adopts the name of another installation", async () => {
    await store.installation();
    await store.adoptInstallation("abc123");

    expect(await store.installation()).toBe("abc123");
    expect(await bed.store().installation()).toBe("abc123");
  });

  it("a process that read another name reads the adopted one", async () => {
    const other = bed.store();
    await other.installation();
    await store.adoptInstallation("abc123");

    expect(await other.readInstallation()).toBe("abc123");
    expect(await other.installation()).toBe("abc123");
  });
}

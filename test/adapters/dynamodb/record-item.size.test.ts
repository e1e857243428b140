import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, describe, expect, it } from "vitest";
import { ledgerKey } from "#stored/ledger";
import { recordItem } from "#stored/records";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { workloadKey } from "#domain/workload/workload";
import { aChange, aContainer, anEnded, anObserved, aRecord, aRolling, noon } from "#test/domain/builders";
import { startEngine, withEngine } from "./engine.ts";

/** Text as long as on AWS, no two the same. */
const hex = (from: number, length: number): string =>
  Array.from({ length }, (_, place) => ((from * (place + 7) ** 3) % 16).toString(16)).join("");
const uuid = (from: number): string => [8, 4, 4, 4, 12].map((length, part) => hex(from + part, length)).join("-");
const imageName = "123456789012.dkr.ecr.eu-central-1.amazonaws.com/shop/checkout";
const digests = [1, 3, 5].map((from) => `sha256:${hex(from, 64)}`);
const imageOf = (update: number): string => `${imageName}:1.${update}.0@${digests[update] ?? ""}`;
const core = (seq: number) => ({
  ...{ seq, detectedAt: noon, selectedAt: noon, source: "ecr", correlationId: uuid(seq) },
  changes: [
    aChange({
      ...{ name: "checkout", imageName, tag: `1.${seq}.0`, digest: digests[seq] ?? "", policy: "semver >=1 <2" },
      ...{ from: imageOf(seq - 1), to: imageOf(seq), fromDigest: digests[seq - 1] ?? "" },
    }),
  ],
});

const last = anEnded({ ...core(1), patchedAt: noon, runningSince: noon, detail: "3 pods" });
const running = { seenAt: noon, settlesAt: noon, since: noon, restarts: 0, pods: 3 };

/** A workload in its second update: it runs, and is to stay well. */
const record: WorkloadRecord = aRecord({
  workload: { cluster: "production-eu", namespace: "checkout", kind: "Deployment", name: "checkout-frontend" },
  uid: uuid(9),
  observed: anObserved({
    containers: [aContainer({ name: "checkout", image: imageOf(1), digest: digests[1] ?? "" })],
    annotations: { "lookout.dev/enabled": "true", "lookout.dev/policy": "semver >=1 <2" },
  }),
  active: aRolling({ ...core(2), progress: { kind: "running", running, deadlineAt: noon } }),
  last,
  landed: last,
  transitions: [{ seq: 2, what: "running", reasons: [], detail: "3 pods", changes: core(2).changes }],
  effects: { dueAt: noon },
});

withEngine(await startEngine(), (engine) => {
  afterAll(engine.stop);

  describe("the cost of a write", () => {
    const written = async (item: object): Promise<number | undefined> => {
      const { client, table } = await engine.table();
      const put = new PutCommand({ TableName: table, Item: { ...item }, ReturnConsumedCapacity: "TOTAL" });
      return (await client.send(put)).ConsumedCapacity?.CapacityUnits;
    };

    it("is four units for the record of a workload in the middle of its second update", async () => {
      expect(await written(recordItem(record))).toBe(4);
    });

    it("is one unit for a row of its ledger", async () => {
      const { uid, seq, version, changedAt: at, cause, transitions } = record;
      const workload = workloadKey(record.workload);
      const row = { workload, uid, seq, version, at, cause, correlationId: uuid(2), transition: transitions[0] };
      expect(await written({ ...ledgerKey(row), form: 1, expiresAt: 1_800_000_000, value: row })).toBe(1);
    });
  });
});

/** Deployments after edits of lookout.yaml. */
import { describe, expect, it } from "vitest";
import type { ClustersView } from "#contracts/api/clusters";
import { stackOutputs } from "#contracts/aws/stack-outputs";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { until } from "#test/cluster/bed/until";
import { callerWith } from "../bed/callers.ts";
import { type Edited, secretOf, secretParameterOf, stack, storeSecret } from "../bed/deployment.ts";
import { inventoryOf, stackState } from "../bed/inventory.ts";
import { itemsIn, lastingItems, lostOf } from "../bed/table.ts";
import {
  addressesIn,
  comparedWith,
  type Comparison,
  deployDuringPushes,
  faultsBeside,
  imageOf,
  type Scene,
} from "./scene.ts";

/** The receiver that comes and goes. */
export const addedReceiver = "more-builds";
/** What the test itself has created in the account. */
export const ofTheTest = [
  "AWS::Events::Rule facts-of-the-test",
  "AWS::SQS::Queue facts-of-the-test",
  ...["builds", addedReceiver].map((receiver) => `AWS::SSM::Parameter ${secretParameterOf(receiver)}`),
];

/** The access entry of the reached cluster. */
const kept = { LookoutAccessprodeksEntry14718FA3: "prod-eks" };
const clean: Comparison = { clashes: [], replaced: [], missing: [], orphans: ofTheTest, entries: kept };

/** @param network - the network of the cluster before the edits */
export function describeEdits(scene: () => Scene, network: NonNullable<Edited["network"]>): void {
  describe("an edited lookout.yaml", () => {
    const table = (): string => scene().lookout.outputs[stackOutputs.tableName] ?? "";

    /** Deploys an edit during pushes. Returns what it changed, and what is lost. */
    async function deploy(edited: Edited, name: string, major: number) {
      const { lookout } = scene();
      const { aws } = lookout.emulator;
      const [stackBefore, itemsBefore] = [await stackState(aws, stack), await lastingItems(aws, table())];
      await lookout.configure({ settle: "3s" }, edited);
      const outputs = await deployDuringPushes(scene(), name, major);
      return {
        compared: await comparedWith(stackBefore, lookout),
        lost: lostOf(itemsBefore, await lastingItems(aws, table())),
        ...{ table: outputs[stackOutputs.tableName], addresses: addressesIn(outputs) },
      };
    }

    const nothingLost = () => ({ lost: [], table: table(), addresses: addressesIn(scene().lookout.outputs) });

    /** Pushes a tag, and waits until it runs. */
    async function push(name: string, tag: string): Promise<void> {
      const digest = await scene().lookout.ecr.push(`shop/${name}`, tag);
      await scene().untilRuns(name, imageOf(scene(), name, tag, digest));
    }

    async function clusters(): Promise<ClustersView["clusters"]> {
      const { emulator, outputs } = scene().lookout;
      const caller = await callerWith("ana", emulator, outputs);
      return ((await caller.get("clusters")) as ClustersView).clusters;
    }

    const recordOf = async (key: string): Promise<WorkloadRecord | undefined> =>
      (await itemsIn(scene().lookout, `WORKLOAD#${key}`, "WORKLOAD"))[0]?.value as WorkloadRecord | undefined;

    /** The status of a notification of a receiver. */
    const notified = (receiver: string): Promise<number> => {
      const { lookout } = scene();
      const body = { name: `${lookout.registry.host}/shop/built`, tag: "1.1.0" };
      return lookout.notify(body, secretOf(receiver), receiver);
    };

    it("that adds a cluster and a receiver keeps all state and loses no push", async () => {
      const { emulator, outputs } = scene().lookout;
      await storeSecret(emulator.aws, addedReceiver);
      const ana = await callerWith("ana", emulator, outputs);
      const freeze = { scope: "prod/lab", by: "ana", why: "tested", force: true };
      expect(await ana.post("freezes", freeze, {})).toEqual({ status: 200 });
      const digest = `sha256:${"0".repeat(64)}`;
      expect(await ana.post("quarantine", { digest, by: "ana", why: "tested" }, {})).toEqual({ status: 200 });

      const edited = { network, unreachable: ["stage"], receivers: [addedReceiver] };
      const { compared, ...rest } = await deploy(edited, "busy-a", 3);

      expect(rest).toEqual(nothingLost());
      expect(compared).toEqual({ ...clean, entries: { ...kept, [stageEntry]: "stage" } });
      expect([await notified("builds"), await notified(addedReceiver)]).toEqual([202, 202]);
      const problem = await until(
        "the sync of stage has failed",
        async () => (await clusters()).find(({ name }) => name === "stage")?.problem,
      );
      expect(problem.reason).toBe("cluster-unreachable");
      expect((await clusters()).find(({ name }) => name === "prod")?.problem).toBeUndefined();
      await push("busy-b", "3.0.0");
    }, 300_000);

    it("that renames a cluster and drops its VPC keeps its access entry, and begins new records whose numbers go on", async () => {
      const { lookout, putClockForward } = scene();
      const old = await recordOf("prod/default/deployment/busy-a");
      const edited = { name: "production", unreachable: ["stage"], receivers: [addedReceiver] };
      const { compared, ...rest } = await deploy(edited, "busy-a", 4);

      expect(rest).toEqual(nothingLost());
      expect(compared).toEqual({ ...clean, entries: { ...kept, [stageEntry]: "stage" } });
      expect((await inventoryOf(lookout.emulator.aws)).filter((resource) => /vpc-?0a1b2c3d/.test(resource))).toEqual(
        [],
      );
      const begun = await recordOf("production/default/deployment/busy-a");
      expect(begun?.seq).toBeGreaterThan(old?.seq ?? NaN);
      await push("busy-b", "4.0.0");

      // Five minutes after the last sync, the next sweep or push ends the workloads of the old name.
      await putClockForward(400);
      await until(
        "the old record has ended",
        async () => (await recordOf("prod/default/deployment/busy-a"))?.tracked === false || undefined,
        { timeoutMs: 90_000 },
      );
      expect((await recordOf("production/default/deployment/busy-a"))?.tracked).toBe(true);
    }, 400_000);

    it("that removes a cluster and a receiver removes only their parts", async () => {
      const { compared, ...rest } = await deploy({ name: "production" }, "busy-a", 5);

      expect(rest).toEqual(nothingLost());
      expect(compared).toEqual(clean);
      expect([await notified("builds"), await notified(addedReceiver)]).toEqual([202, 404]);
      expect((await clusters()).map(({ name }) => name)).toEqual(["production"]);
      await push("busy-b", "5.0.0");
    }, 300_000);

    it("leaves each function the rights for its calls", async () => {
      expect(await faultsBeside(scene().lookout, /-vpc-/)).toEqual([]);
    });
  });
}

/** The logical id of the other cluster's access entry. */
const stageEntry = "LookoutAccessstageEntry559C4BF4";

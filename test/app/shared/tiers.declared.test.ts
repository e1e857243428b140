import { describe, expect, it } from "vitest";
import { tierReads } from "#app/shared/tiers";
import { declaredByService } from "#domain/definitions/service-image";
import { epochMs, minutes, plus, seconds } from "#domain/shared/time";
import type { TierMember } from "#domain/tiers/member";
import { apply, deploy, dicom, passMinutes, started, tiersWith } from "../detect/service-image-world.ts";

/** Returns what an update in prod waits for, beside a ServiceImage of the same name in the cluster lab. */
async function earlierBeside(spec: object | undefined, syncedAfter = minutes(2)) {
  const lookout = await started("v2");
  const key = deploy(lookout, "a");
  apply(lookout, tiersWith("v2"));
  await lookout.ports.clusterStates.write({
    name: "lab",
    definitions: ["ServiceImage"],
    lastSyncAt: plus(lookout.clock.now(), syncedAfter),
  });
  await passMinutes(lookout, 4);
  const record = await lookout.record(key);
  const { definitions } = lookout.ports;
  const object = { kind: "ServiceImage", namespace: "dicom", name: "dicom", uid: "lab", resourceVersion: "1" } as const;
  if (spec !== undefined)
    await definitions.put([
      {
        ...declaredByService({ ...object, generation: 1, createdAt: epochMs(0), spec, status: undefined }, "lab"),
        isPlaced: true,
      },
    ]);
  const member = {
    ...{ group: "ServiceImage dicom/dicom", tier: "earlyAccess", ran: [], halted: [] },
    workload: { cluster: "lab", namespace: "dicom", kind: "Deployment", name: "e" },
    containers: [{ list: "containers", name: "app", imageName: dicom, tag: "v1" }],
  } as const satisfies TierMember;
  const reads = tierReads({
    ...lookout.ports,
    clusters: { ...lookout.ports.clusters, names: () => ["lab", "prod"] },
    tierMembers: { ...lookout.ports.tierMembers, list: async () => [member] },
  });
  const facts = await reads.of(record);
  if (facts.kind !== "after") throw new Error(`the workload is not in a later tier: ${facts.kind}`);
  return facts.earlier.map(({ members, unread }) => ({
    members: members.map(({ workload }) => workload.cluster),
    unread: unread.map(({ cluster }) => cluster),
  }));
}

describe("ServiceImages of one name in two clusters", () => {
  it("wait for each other, where they name the same image", async () => {
    expect(await earlierBeside(tiersWith("v2", "v3"))).toEqual([{ members: ["lab"], unread: [] }]);
  });

  it("wait until the other one had a minute for the same image", async () => {
    expect(await earlierBeside(tiersWith("v3"), seconds(59))).toEqual([{ members: [], unread: ["lab"] }]);
    expect(await earlierBeside(tiersWith("v3"), seconds(61))).toEqual([{ members: [], unread: [] }]);
  });

  it.each([
    { what: "names another image", spec: tiersWith("v3", "v2") },
    { what: "has no such tier", spec: { defaultImage: `${dicom}:v2` } },
    { what: "is gone", spec: undefined },
  ])("do not wait for one that $what", async ({ spec }) => {
    expect(await earlierBeside(spec)).toEqual([{ members: [], unread: [] }]);
  });
});

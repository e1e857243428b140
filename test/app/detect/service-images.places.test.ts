import { describe, expect, it } from "vitest";
import { minutes, plus, seconds } from "#domain/shared/time";
import type { Cluster } from "#ports/cluster";
import type { Definitions } from "#ports/definitions";
import type { World } from "../world.ts";
import { apply, deploy, dicom, passMinutes, silence, started, tagOf, tiersWith } from "./service-image-world.ts";

/** Counts the lists of all workloads. */
function counting({ cluster }: World): { complete: number } {
  const list = cluster.list.bind(cluster);
  const seen = { complete: 0 };
  Object.assign(cluster, {
    list: (async (since, signal) => {
      if (since === undefined) seen.complete += 1;
      return list(since, signal);
    }) satisfies Cluster["list"],
  });
  return seen;
}

async function brokenV2(): Promise<World> {
  const lookout = await started();
  await lookout.push("dicom", "v2", { quietly: true, crashes: true });
  return lookout;
}

const older = (lookout: World, spec: unknown) => {
  lookout.cluster.definitionObjects.apply("ServiceImage", { namespace: "dicom", name: "older" }, spec);
};

describe("an image that fails in the early tier, whose workload is evaluated late,", () => {
  const late = (lookout: World) => {
    silence(lookout, "z", plus(lookout.clock.now(), seconds(90)));
  };

  async function expectOrder(lookout: World, [other, early]: readonly [string, string]): Promise<void> {
    await passMinutes(lookout, 15);
    expect(lookout.factNames(other)).not.toContain("RolloutStarted");
    expect(lookout.factNames(early)).toContain("RolledBack");
  }

  const deployBoth = (lookout: World) => [deploy(lookout, "a"), deploy(lookout, "z", "earlyAccess")] as const;

  it("stays away from the lower tier of workloads that are created after their ServiceImage", async () => {
    const lookout = await brokenV2();
    apply(lookout, tiersWith("v2"));
    await passMinutes(lookout, 3);
    late(lookout);
    await expectOrder(lookout, deployBoth(lookout));
  });

  it("stays away from the lower tier when its workload moves to the early tier", async () => {
    const lookout = await brokenV2();
    const other = deploy(lookout, "a");
    deploy(lookout, "z");
    apply(lookout, tiersWith("v1"));
    await passMinutes(lookout, 4);
    silence(lookout, "z", plus(lookout.clock.now(), seconds(150)));
    const early = deploy(lookout, "z", "earlyAccess");
    await passMinutes(lookout, 1);
    apply(lookout, tiersWith("v2"));
    await expectOrder(lookout, [other, early]);
  });

  it("stays away from the lower tier when the older of two ServiceImages is deleted", async () => {
    const lookout = await brokenV2();
    const both = deployBoth(lookout);
    older(lookout, tiersWith("v1"));
    await passMinutes(lookout, 3);
    apply(lookout, tiersWith("v2"));
    await passMinutes(lookout, 3);
    late(lookout);
    lookout.cluster.definitionObjects.remove("ServiceImage", { namespace: "dicom", name: "older" });
    await expectOrder(lookout, both);
  });

  it("stays away from the lower tier when definitions were switched off meanwhile", async () => {
    const lookout = await brokenV2();
    const both = deployBoth(lookout);
    apply(lookout, tiersWith("v1"));
    await passMinutes(lookout, 4);
    const { clusters, rules, definitions } = lookout.ports;
    const undeclared = { names: () => ["prod"], cluster: () => lookout.cluster };
    Object.assign(lookout.ports, { clusters: undeclared, rules: { ...rules, definitions: false } });
    await passMinutes(lookout, 1);
    expect(await definitions.list("prod")).toEqual([]);
    await passMinutes(lookout, 61);
    apply(lookout, tiersWith("v2"));
    Object.assign(lookout.ports, { clusters, rules });
    late(lookout);
    await expectOrder(lookout, both);
  });
});

describe("the workloads of a cluster are all listed", () => {
  it("every ten minutes while a workload of a ServiceImage is never evaluated, and its lower tiers wait", async () => {
    const lookout = await started("v2");
    silence(lookout, "hostile", plus(lookout.clock.now(), minutes(10_000)));
    deploy(lookout, "hostile");
    const [early, other] = [deploy(lookout, "e", "earlyAccess"), deploy(lookout, "a")];
    apply(lookout, tiersWith("v2"));
    await passMinutes(lookout, 12);
    const seen = counting(lookout);
    await passMinutes(lookout, 20);
    expect([tagOf(lookout, early), tagOf(lookout, other), seen]).toEqual(["v2", "v1", { complete: 2 }]);
  });

  it.each([
    ["has no workload", tiersWith("v2"), false],
    ["is placed", { defaultImage: `${dicom}:v2` }, true],
  ])("once an hour when a ServiceImage %s", async (_, spec, isUsed) => {
    const lookout = await started("v2");
    if (isUsed) deploy(lookout, "a");
    apply(lookout, spec);
    await passMinutes(lookout, 5);
    const seen = counting(lookout);
    await passMinutes(lookout, 30);
    const [service] = await lookout.ports.definitions.list("prod");
    expect([service?.isPlaced, seen]).toEqual([isUsed ? true : undefined, { complete: 0 }]);
  });
});

describe("the version of a ServiceImage that is stored while a late sync of an older one goes on", () => {
  async function storeNewer({ ports: { definitions } }: World): Promise<void> {
    await definitions.put((await definitions.list("prod")).map((one) => ({ ...one, generation: 9 })));
  }

  const versions = async ({ ports: { definitions } }: World) =>
    (await definitions.list("prod")).map(({ generation, isPlaced }) => ({ generation, isPlaced }));

  it("stays when the late sync has read the objects", async () => {
    const lookout = await started("v2");
    apply(lookout, tiersWith("v1"));
    await lookout.sync();
    apply(lookout, tiersWith("v2"));
    const read = lookout.cluster.definitions.bind(lookout.cluster);
    Object.assign(lookout.cluster, {
      definitions: (async (...all) => {
        await storeNewer(lookout);
        return read(...all);
      }) satisfies Cluster["definitions"],
    });
    await lookout.sync();
    expect(await versions(lookout)).toEqual([{ generation: 9 }]);
  });

  it("stays when the late sync has found all workloads in their tiers", async () => {
    const lookout = await started("v2");
    const { definitions } = lookout.ports;
    deploy(lookout, "e", "earlyAccess");
    apply(lookout, tiersWith("v1"));
    await lookout.sync();
    await lookout.pass(minutes(1));
    const read = definitions.inNamespace.bind(definitions);
    let times = 0;
    Object.assign(definitions, {
      inNamespace: (async (place) => {
        times += 1;
        await storeNewer(lookout);
        return read(place);
      }) satisfies Definitions["inNamespace"],
    });
    await lookout.sync();
    expect([times, await versions(lookout)]).toEqual([1, [{ generation: 9 }]]);
  });

  it("gives way to the older one of a cluster that was restored from a backup", async () => {
    const lookout = await started("v2");
    const { definitions } = lookout.ports;
    apply(lookout, tiersWith("v1"));
    await lookout.sync();
    await definitions.put((await definitions.list("prod")).map((one) => ({ ...one, generation: 9 })));
    await lookout.sync();
    expect((await definitions.list("prod")).map(({ generation }) => generation)).toEqual([1]);
  });
});

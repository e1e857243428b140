import { describe, expect, it } from "vitest";
import { unblockWorkload } from "#app/api/unblock";
import { controlOf } from "../control-of.ts";
import { host, type World } from "../world.ts";
import {
  apply,
  conditions,
  deploy,
  dicom,
  passMinutes,
  started,
  statusOf,
  tagOf,
  tiersWith,
} from "./service-image-world.ts";

const params = (name: string) => ({ cluster: "prod", namespace: "dicom", kind: "Deployment", name });
const body = { by: "eva", why: "checkout fails" };
const set = (lookout: World, name: string, version: string) =>
  controlOf(lookout).setVersion({ params: params(name), body: { ...body, version } });
const runningOf = (lookout: World, ...keys: readonly string[]) => keys.map((key) => lookout.image(key));

function silenceRegistry({ registry }: World): void {
  const answer = async () => ({ kind: "unreachable", detail: "no answer", isOutage: true }) as const;
  Object.assign(registry, { tags: answer, resolve: answer, manifest: answer, config: answer });
}

/** The condition `Complete` of all and of the early tier, whether it is in progress, and the message. */
function told(lookout: World) {
  const status = statusOf(lookout);
  const early = status.tierStatus?.find(({ upgradeTier }) => upgradeTier === "earlyAccess");
  const { Complete: all, InProgress: inProgress } = conditions(status);
  return { all, inProgress, early: early && conditions(early)["Complete"], message: status.conditions?.[0]?.message };
}

/** An early workload and another one, which run v1 of a ServiceImage. */
async function twoTiers(lookout: World, early: Readonly<Record<string, string>> = {}) {
  const keys = [deploy(lookout, "z", "earlyAccess", early), deploy(lookout, "a")] as const;
  apply(lookout, tiersWith("v1"));
  await passMinutes(lookout, 5);
  return keys;
}

/** Two workloads of one tier, which run v2 of a ServiceImage. */
async function oneTier(lookout: World) {
  const keys = [deploy(lookout, "z"), deploy(lookout, "a")] as const;
  apply(lookout, { defaultImage: `${dicom}:v2` });
  await passMinutes(lookout, 5);
  return keys;
}

describe("an image that a person requested", () => {
  it("gives way when its tag, which the ServiceImage names since, moves", async () => {
    const lookout = await started("v2");
    const keys = await twoTiers(lookout);
    await set(lookout, "z", "v2");
    await passMinutes(lookout, 5);
    apply(lookout, tiersWith("v2"));
    await passMinutes(lookout, 10);
    const moved = await lookout.push("dicom", "v2");
    await passMinutes(lookout, 10);

    expect(runningOf(lookout, ...keys)).toEqual(Array(2).fill(`${dicom}:v2@${moved}`));
    expect(told(lookout)).toEqual({
      ...{ all: "True Complete", inProgress: "False Complete", early: "True Complete" },
      message: "2 of 2 run the image",
    });
  });

  it.each(["rolled back", "set"])("that is the digest before, to which one is %s, is not complete", async (how) => {
    const lookout = await started("v2");
    const [key] = await oneTier(lookout);
    const before = lookout.image(key);
    await lookout.push("dicom", "v2");
    await passMinutes(lookout, 5);
    if (how === "set") await set(lookout, "z", before.split("@")[1] ?? "");
    else await controlOf(lookout).rollBack({ params: params("z"), body });
    await passMinutes(lookout, 10);

    expect(lookout.image(key)).toBe(before);
    const held = `1 of 2 to update: ${key} was ${how === "set" ? "set" : "rolled back"} to v2 by eva: lookout resume ${key}`;
    expect(told(lookout)).toMatchObject({ all: "False Held", inProgress: "False Held", message: held });
    await controlOf(lookout).resumeWorkload({ params: params("z"), body });
    await passMinutes(lookout, 5);
    if (how === "rolled back") {
      expect(told(lookout)).toMatchObject({ all: "False Halted", inProgress: "False Halted" });
      const { workload } = await lookout.record(key);
      await unblockWorkload(workload, { by: "eva" }, lookout.ports);
      await passMinutes(lookout, 5);
    }
    expect(told(lookout)).toMatchObject({ all: "True Complete", message: "2 of 2 run the image" });
  });

  it("keeps a late workload of the lower tier away while it is the digest before", async () => {
    const lookout = await started("v2");
    const early = deploy(lookout, "z", "earlyAccess");
    apply(lookout, tiersWith("v2"));
    await passMinutes(lookout, 5);
    await lookout.push("dicom", "v2");
    await passMinutes(lookout, 5);
    await controlOf(lookout).rollBack({ params: params("z"), body });
    await passMinutes(lookout, 10);
    const late = deploy(lookout, "late");
    await passMinutes(lookout, 20);

    expect(tagOf(lookout, late)).toBe("v1");
    expect(told(lookout)).toMatchObject({
      ...{ all: "False Held", inProgress: "False Held", early: "False Held" },
      message: `2 of 2 to update: ${early} was rolled back to v2 by eva: lookout resume ${early}`,
    });
  });

  it("and that failed keeps nothing away: its workload runs the image, and the next one", async () => {
    const lookout = await started("v2", "v3");
    await lookout.push("dicom", "vbad", { quietly: true, crashes: true });
    const keys = await oneTier(lookout);
    await set(lookout, "z", "vbad");
    await passMinutes(lookout, 10);
    expect([keys.map((key) => tagOf(lookout, key)), told(lookout).all]).toEqual([["v2", "v2"], "True Complete"]);
    apply(lookout, { defaultImage: `${dicom}:v3` });
    await passMinutes(lookout, 10);

    expect([keys.map((key) => tagOf(lookout, key)), told(lookout).all]).toEqual([["v3", "v3"], "True Complete"]);
  });
});

describe("an image of lookout.dev/rollback-to", () => {
  it("gives way to a corrected tag", async () => {
    const lookout = await started("v3");
    await lookout.push("dicom", "v2", { quietly: true, crashes: true });
    const keys = await twoTiers(lookout, { "lookout.dev/rollback-to": "v1" });
    apply(lookout, tiersWith("v2"));
    await passMinutes(lookout, 15);
    expect(told(lookout)).toMatchObject({ all: "False Halted", early: "False Halted" });
    apply(lookout, tiersWith("v3"));
    await passMinutes(lookout, 15);

    expect([keys.map((key) => tagOf(lookout, key)), told(lookout).all]).toEqual([["v3", "v3"], "True Complete"]);
  });

  it("gives way when the ServiceImage names it again, and its tag moves", async () => {
    const lookout = await started();
    await lookout.push("dicom", "v2", { quietly: true, crashes: true });
    const keys = await twoTiers(lookout, { "lookout.dev/rollback-to": "v1" });
    apply(lookout, tiersWith("v2"));
    await passMinutes(lookout, 15);
    apply(lookout, tiersWith("v1"));
    await passMinutes(lookout, 15);
    const moved = await lookout.push("dicom", "v1");
    await passMinutes(lookout, 15);

    expect(runningOf(lookout, ...keys)).toEqual(Array(2).fill(`${dicom}:v1@${moved}`));
    expect(told(lookout).all).toBe("True Complete");
  });
});

describe("a tier of a ServiceImage", () => {
  it("whose failed workload is deleted is halted, and not in progress", async () => {
    const lookout = await started();
    await lookout.push("dicom", "v2", { quietly: true, crashes: true });
    const [, lower] = await twoTiers(lookout);
    apply(lookout, tiersWith("v2"));
    await passMinutes(lookout, 15);
    lookout.cluster.remove({ namespace: "dicom", kind: "Deployment", name: "z" });
    await passMinutes(lookout, 60);

    expect(told(lookout)).toMatchObject({
      ...{ all: "False Halted", inProgress: "False Halted" },
      message: `1 of 1 to update: ${lower} holds v2: halted by an earlier tier: lookout explain ${lower}`,
    });
  });

  it("goes on when another workload ran the repaired tag of the earlier tier, whose failed one is deleted", async () => {
    const lookout = await started("v3");
    await lookout.push("dicom", "v2", { quietly: true, crashes: true });
    const [, lower] = await twoTiers(lookout);
    apply(lookout, tiersWith("v2", "v3"));
    await passMinutes(lookout, 15);
    lookout.cluster.remove({ namespace: "dicom", kind: "Deployment", name: "z" });
    await passMinutes(lookout, 3);
    expect(tagOf(lookout, lower)).toBe("v1");
    const repaired = deploy(lookout, "y", "earlyAccess");
    await lookout.push("dicom", "v2");
    await passMinutes(lookout, 20);

    expect([repaired, lower].map((key) => tagOf(lookout, key))).toEqual(["v2", "v3"]);
    expect(told(lookout).all).toBe("True Complete");
  });

  it("whose workload skips the tag is not complete when that moves", async () => {
    const lookout = await started("v2");
    const [early] = await twoTiers(lookout);
    apply(lookout, tiersWith("v2"));
    await passMinutes(lookout, 8);
    await controlOf(lookout).skipTag({ params: params("z"), body: { ...body, tag: "v2" } });
    await lookout.push("dicom", "v2");
    await passMinutes(lookout, 20);

    expect(told(lookout)).toEqual({
      ...{ all: "False TagSkipped", inProgress: "False TagSkipped", early: "False TagSkipped" },
      message: `2 of 2 to update: ${early} does not get v2: a person skips this tag`,
    });
  });

  it("is halted by an image that failed under another tag", async () => {
    const lookout = await started();
    const bad = await lookout.push("dicom", "v2", { quietly: true, crashes: true });
    const [key] = await twoTiers(lookout);
    apply(lookout, tiersWith("v2"));
    await passMinutes(lookout, 15);
    lookout.registry.repositories.get(`${host}/dicom`)?.tags.set("v3", bad);
    apply(lookout, tiersWith("v3"));
    await passMinutes(lookout, 10);

    expect(told(lookout)).toMatchObject({
      ...{ all: "False Halted", inProgress: "False Halted", early: "False Halted" },
      message: `2 of 2 to update: v3 failed on ${key}: write another tag, or lookout unblock ${key}`,
    });
  });

  it.each(["gone", "without an answer"])("stays complete while the tag is %s", async (how) => {
    const lookout = await started("v2");
    await oneTier(lookout);
    if (how === "gone") lookout.registry.repositories.get(`${host}/dicom`)?.tags.delete("v2");
    else silenceRegistry(lookout);
    await passMinutes(lookout, 5);
    await lookout.sweep();
    await passMinutes(lookout, 5);

    expect(told(lookout)).toMatchObject({ all: "True Complete" });
  });

  it("does not wait for a container with a policy of its own, nor for a workload with no other one", async () => {
    const lookout = await started("v2");
    const side = { "lookout.dev/container.side.policy": "pinned" };
    const only = { "lookout.dev/container.app.policy": "pinned" };
    const beside = [{ name: "side", image: `${dicom}:v1` }];
    const [early, own] = [
      deploy(lookout, "z", "earlyAccess", side, beside),
      deploy(lookout, "y", "earlyAccess", only),
    ] as const;
    const lower = deploy(lookout, "a");
    apply(lookout, tiersWith("v2"));
    await passMinutes(lookout, 15);

    expect([early, own, lower].map((key) => tagOf(lookout, key))).toEqual(["v2", "v1", "v2"]);
    expect(told(lookout)).toMatchObject({ all: "True Complete", message: "2 of 2 run the image" });
  });

  it("is not proven by a CronJob whose last Job of the image failed", async () => {
    const lookout = await started();
    await lookout.push("dicom", "v2", { quietly: true, crashes: true });
    const annotations = { "lookout.dev/enabled": "true", "lookout.dev/policy": "service-image" };
    const place = { namespace: "dicom", name: "z" };
    const template = { spec: { containers: [{ name: "app", image: `${dicom}:v2` }] } };
    const spec = { schedule: "0 3 * * *", jobTemplate: { spec: { template } } };
    const labels = { "upgrade-tier": "earlyAccess" };
    lookout.cluster.apply({ kind: "CronJob", metadata: { ...place, labels, annotations }, spec });
    const lower = deploy(lookout, "a");
    apply(lookout, tiersWith("v1"));
    lookout.cluster.runJob({ ...place, kind: "CronJob" });
    apply(lookout, tiersWith("v2"));
    await passMinutes(lookout, 15);

    expect(lookout.factNames(lower)).not.toContain("RolloutStarted");
    expect(told(lookout)).toMatchObject({ early: "False Updating" });
  });

  it("is not in progress while its workload needs an approval", async () => {
    const lookout = await started("v2");
    const key = deploy(lookout, "z", undefined, { "lookout.dev/approval-required": "true" });
    apply(lookout, { defaultImage: `${dicom}:v2` });
    await passMinutes(lookout, 10);

    expect(told(lookout)).toMatchObject({
      ...{ all: "False NeedsApproval", inProgress: "False NeedsApproval" },
      message: `1 of 1 to update: ${key} holds v2: needs approval: lookout explain ${key}`,
    });
  });

  it("is in progress while another one of its priority is", async () => {
    const lookout = await started("v2");
    deploy(lookout, "x", "x", { "lookout.dev/approval-required": "true" });
    deploy(lookout, "y", "y", { "lookout.dev/maintenance-window": "10:30-11:30" });
    apply(lookout, { tiers: ["x", "y"].map((upgradeTier) => ({ upgradeTier, image: `${dicom}:v2` })) });
    await passMinutes(lookout, 10);

    const { conditions: all = [], tierStatus = [] } = statusOf(lookout);
    expect(tierStatus.map((tier) => conditions(tier)["InProgress"])).toEqual(["False NeedsApproval", "True Updating"]);
    expect(conditions({ conditions: all })["InProgress"]).toBe("True Updating");
  });
});

import { describe, expect, it } from "vitest";
import { seconds } from "#domain/shared/time";
import { host } from "../world.ts";
import {
  apply,
  conditions,
  deploy,
  dicom,
  passMinutes,
  type Status,
  started,
  statusOf,
  tagOf,
  tiersWith,
} from "./service-image-world.ts";

describe("a ServiceImage", () => {
  it("brings its image to early access first, then to the others, and is then complete", async () => {
    const lookout = await started("v2");
    const [early, one, two] = [
      deploy(lookout, "e", "earlyAccess"),
      deploy(lookout, "a"),
      deploy(lookout, "b", "other"),
    ];
    apply(lookout, { defaultImage: `${dicom}:v1`, ...tiersWith("v1") });
    await passMinutes(lookout, 3);
    expect(conditions(statusOf(lookout))).toEqual({
      Complete: "True Complete",
      InProgress: "False Complete",
      UpToDate: "True UpToDate",
    });

    apply(lookout, tiersWith("v2"));
    const order: string[] = [];
    for (let times = 0; times < 100; times += 1) {
      await lookout.pass(seconds(2));
      if (times % 15 === 0) await lookout.sync();
      for (const key of [early, one, two]) if (tagOf(lookout, key) === "v2" && !order.includes(key)) order.push(key);
    }
    expect(order[0]).toBe(early);
    expect(order).toHaveLength(3);
    await passMinutes(lookout, 2);
    expect(statusOf(lookout)).toMatchObject({ observedGeneration: 2, currentPriority: 0 });
    expect(conditions(statusOf(lookout))["Complete"]).toBe("True Complete");
    expect(
      statusOf(lookout).tierStatus?.map(({ upgradeTier, newDeploymentImage }) => [upgradeTier, newDeploymentImage]),
    ).toEqual([
      ["earlyAccess", `${dicom}:v2`],
      ["", `${dicom}:v2`],
    ]);
  });

  it("brings to each tier its own image, in the order of their priorities, as the seed's example has it", async () => {
    const lookout = await started("v2", "v3");
    const [early, other] = [deploy(lookout, "e", "earlyAccess"), deploy(lookout, "a")];
    apply(lookout, tiersWith("v3", "v2"));
    await passMinutes(lookout, 6);

    expect([tagOf(lookout, early), tagOf(lookout, other)]).toEqual(["v3", "v2"]);
    expect(conditions(statusOf(lookout))["Complete"]).toBe("True Complete");
  });

  it("goes on from a first tier that ran its image before, and updates tiers of one priority together", async () => {
    const lookout = await started("v2");
    const [first, one, two] = [deploy(lookout, "f", "first"), deploy(lookout, "a", "one"), deploy(lookout, "b", "two")];
    apply(lookout, {
      tiers: [
        { upgradeTier: "first", image: `${dicom}:v1`, priority: 9 },
        { upgradeTier: "one", image: `${dicom}:v2`, priority: 5 },
        { upgradeTier: "two", image: `${dicom}:v2`, priority: 5 },
      ],
    });
    await passMinutes(lookout, 6);

    expect([first, one, two].map((key) => tagOf(lookout, key))).toEqual(["v1", "v2", "v2"]);
    expect(conditions(statusOf(lookout))["Complete"]).toBe("True Complete");
  });

  it("is not complete for its new generation before its workloads run the image", async () => {
    const lookout = await started("v2");
    deploy(lookout, "a");
    apply(lookout, { defaultImage: `${dicom}:v1` });
    await passMinutes(lookout, 2);
    apply(lookout, { defaultImage: `${dicom}:v2` });
    await lookout.sync();

    expect(statusOf(lookout).observedGeneration).toBe(2);
    expect(conditions(statusOf(lookout))).toMatchObject({
      Complete: "Unknown Evaluating",
      InProgress: "Unknown Evaluating",
    });
    await lookout.pass(seconds(1));
    await lookout.sync();
    expect(conditions(statusOf(lookout))).toMatchObject({ Complete: "False Updating", InProgress: "True Updating" });
  });

  it("halts at an image that fails in the first tier, and goes on with a corrected one", async () => {
    const lookout = await started();
    await lookout.push("dicom", "v2", { quietly: true, broken: true });
    await lookout.push("dicom", "v3", { quietly: true });
    const [early, other] = [deploy(lookout, "e", "earlyAccess"), deploy(lookout, "a")];
    apply(lookout, tiersWith("v2"));
    await passMinutes(lookout, 15);
    expect([tagOf(lookout, early), tagOf(lookout, other)]).toEqual(["v1", "v1"]);
    expect(conditions(statusOf(lookout))).toMatchObject({ Complete: "False Halted", InProgress: "False Halted" });
    expect(statusOf(lookout).currentPriority).toBe(1);

    apply(lookout, tiersWith("v3"));
    await passMinutes(lookout, 6);
    expect([tagOf(lookout, early), tagOf(lookout, other)]).toEqual(["v3", "v3"]);
    expect(conditions(statusOf(lookout))["Complete"]).toBe("True Complete");
  });

  it("is not complete from the sync that sees the image that a person set, and says who replaced it", async () => {
    const lookout = await started("v2", "v3");
    deploy(lookout, "a");
    apply(lookout, { defaultImage: `${dicom}:v2` });
    await passMinutes(lookout, 4);
    expect(conditions(statusOf(lookout))["Complete"]).toBe("True Complete");
    deploy(lookout, "a", undefined, {}, [], "v3");
    await lookout.sync();

    expect(conditions(statusOf(lookout))["Complete"]).toBe("Unknown Evaluating");
    await passMinutes(lookout, 2);
    expect(statusOf(lookout).conditions?.[0]).toMatchObject({
      ...{ type: "Complete", status: "False", reason: "Halted" },
      message: expect.stringContaining("v2 was replaced by") as string,
    });
  });

  it("names who refused the last image of a tag, and not an earlier digest of it", async () => {
    const lookout = await started("v3");
    await lookout.push("dicom", "v2", { quietly: true, broken: true });
    const key = deploy(lookout, "a");
    apply(lookout, { defaultImage: `${dicom}:v2` });
    await passMinutes(lookout, 15);
    expect(statusOf(lookout).conditions?.[0]).toMatchObject({
      reason: "Halted",
      message: expect.stringContaining("v2 failed") as string,
    });
    // The tag moves to a good image, which a person replaces while its pods start.
    await lookout.push("dicom", "v2");
    for (let i = 0; i < 60 && (await lookout.record(key)).active?.status !== "rolling-out"; i++)
      await lookout.pass(seconds(1));
    expect((await lookout.record(key)).active?.status).toBe("rolling-out");
    deploy(lookout, "a", undefined, {}, [], "v3");
    await passMinutes(lookout, 5);
    expect(statusOf(lookout).conditions?.[0]).toMatchObject({
      reason: "Halted",
      message: expect.stringContaining("v2 was replaced") as string,
    });
  });

  it("returns a tier to pending when a workload appears late, or moves to it, and updates it", async () => {
    const lookout = await started("v2");
    deploy(lookout, "a", "earlyAccess");
    apply(lookout, tiersWith("v2", "v1"));
    await passMinutes(lookout, 4);
    expect(conditions(statusOf(lookout))["Complete"]).toBe("True Complete");
    const late = deploy(lookout, "late", "earlyAccess");
    await lookout.sync();
    await lookout.sync();
    expect(conditions(statusOf(lookout))["Complete"]).toBe("False Updating");
    await passMinutes(lookout, 4);
    expect(tagOf(lookout, late)).toBe("v2");
    expect(conditions(statusOf(lookout))["Complete"]).toBe("True Complete");
  });

  it("closes its workloads while its spec is wrong", async () => {
    const lookout = await started("v2", "v3");
    const key = deploy(lookout, "a");
    apply(lookout, { defaultImage: `${dicom}:v2` });
    await passMinutes(lookout, 4);
    apply(lookout, { defaultImage: "no image!" });
    await passMinutes(lookout, 10);

    expect(tagOf(lookout, key)).toBe("v2");
    expect(conditions(statusOf(lookout))["Complete"]).toBe("False InvalidImage");
  });

  it.each([
    ["lookout.dev/container.app.include-tags", "v*"],
    ["lookout.dev/container.app.allow-downgrade", "false"],
    ["lookout.dev/container.app.tag-pattern", "v.*"],
    ["lookout.dev/containers", '{"app":{"exclude-tags":"v2"}}'],
  ])("holds a workload whose own %s: %s would change the tag, and names it", async (annotation, value) => {
    const lookout = await started("v2", "v9");
    const key = deploy(lookout, "a", undefined, { [annotation]: value });
    apply(lookout, { defaultImage: `${dicom}:v2` });
    await passMinutes(lookout, 4);

    expect(tagOf(lookout, key)).toBe("v1");
    const { selectionFailures } = await lookout.record(key);
    expect(selectionFailures.map(({ detail }) => detail)).toEqual([
      expect.stringContaining(`ServiceImage dicom: ${annotation}`),
    ]);
  });

  it("updates its other workloads beside one that an ImagePolicy names and nobody enabled", async () => {
    const lookout = await started("v2");
    const forgotten = deploy(lookout, "a");
    const place = { namespace: "dicom", kind: "Deployment", name: "a" } as const;
    lookout.cluster.annotate(place, { "lookout.dev/enabled": undefined });
    const key = deploy(lookout, "b");
    apply(lookout, { defaultImage: `${dicom}:v2` });
    lookout.cluster.definitionObjects.apply(
      "ImagePolicy",
      { namespace: "dicom", name: "policy" },
      {
        ...{ repository: dicom, tagPolicy: { strategy: "Latest" }, pollIntervalMinutes: 5 },
        updateTarget: place,
      },
    );
    await passMinutes(lookout, 5);

    expect([forgotten, key].map((one) => tagOf(lookout, one))).toEqual(["v1", "v2"]);
    const service = lookout.cluster.definitionObjects.all().find(({ kind }) => kind === "ServiceImage");
    expect(conditions((service?.status ?? {}) as Status)["Complete"]).toBe("True Complete");
  });

  it("holds a workload whose label no tier has", async () => {
    const lookout = await started("v2", "v3");
    const key = deploy(lookout, "a", "unknown");
    apply(lookout, { tiers: [{ upgradeTier: "early", image: `${dicom}:v2` }] });
    await passMinutes(lookout, 4);

    expect(tagOf(lookout, key)).toBe("v1");
  });

  it("goes back to a lower image that its spec names", async () => {
    const lookout = await started("v2");
    const key = deploy(lookout, "a");
    apply(lookout, { defaultImage: `${dicom}:v2` });
    await passMinutes(lookout, 4);
    expect(tagOf(lookout, key)).toBe("v2");
    apply(lookout, { defaultImage: `${dicom}:v1` });
    await passMinutes(lookout, 4);

    expect(tagOf(lookout, key)).toBe("v1");
  });

  it("goes on past a failed workload that halts nothing, when another one of its tier runs the image", async () => {
    const lookout = await started();
    const window = { "lookout.dev/maintenance-window": "10:20-11:00" };
    const [failing, early, other] = [
      deploy(lookout, "e1", "earlyAccess", { "lookout.dev/halt-on-failure": "false" }),
      deploy(lookout, "e2", "earlyAccess", window),
      deploy(lookout, "a"),
    ];
    apply(lookout, tiersWith("v1"));
    await passMinutes(lookout, 3);
    const digest = await lookout.push("dicom", "v2", { quietly: true, crashes: true });
    apply(lookout, tiersWith("v2"));
    await passMinutes(lookout, 10);
    expect([failing, early, other].map((key) => tagOf(lookout, key))).toEqual(["v1", "v1", "v1"]);
    expect(lookout.factNames(failing)).toContain("RolledBack");

    lookout.crashing.delete(digest);
    await passMinutes(lookout, 30);
    expect([failing, early, other].map((key) => tagOf(lookout, key))).toEqual(["v1", "v2", "v2"]);
    expect(statusOf(lookout).conditions?.[0]).toMatchObject({
      ...{ type: "Complete", status: "True" },
      message: "2 of 3 run the image; 1 failed, which halts nothing",
    });
  });

  it("halts at a failed workload that halts nothing, while none of its tier runs the image", async () => {
    const lookout = await started();
    await lookout.push("dicom", "v2", { quietly: true, crashes: true });
    const early = deploy(lookout, "e", "earlyAccess", { "lookout.dev/halt-on-failure": "false" });
    const other = deploy(lookout, "a");
    apply(lookout, tiersWith("v2"));
    await passMinutes(lookout, 15);

    expect([early, other].map((key) => tagOf(lookout, key))).toEqual(["v1", "v1"]);
    expect(conditions(statusOf(lookout))["Complete"]).toBe("False Halted");
  });

  it("counts a suspended workload, and does not wait for it", async () => {
    const lookout = await started("v2");
    const own = deploy(lookout, "own", undefined, { "lookout.dev/suspend": "true" });
    deploy(lookout, "a");
    apply(lookout, { defaultImage: `${dicom}:v2` });
    await passMinutes(lookout, 4);

    expect(tagOf(lookout, own)).toBe("v1");
    expect(statusOf(lookout).conditions?.[0]).toMatchObject({
      ...{ type: "Complete", status: "True" },
      message: "1 of 2 run the image; 1 suspended",
    });
  });

  it.each([
    { spec: {}, reason: "InvalidImage", says: /^spec\.defaultImage is missing: expected an image with a tag/ },
    { spec: { defaultImage: `${dicom}@sha256:${"a".repeat(64)}` }, reason: "InvalidImage", says: /without a digest/ },
    { spec: { defaultImage: `${"a".repeat(600_000)}.example/dicom:v2` }, reason: "InvalidImage", says: /a{20}…/ },
    { spec: { tiers: "all" }, reason: "InvalidTiers", says: /^spec\.tiers expected a list/ },
    {
      spec: { defaultImage: `${dicom}:v2`, tiers: [{ upgradeTier: "a" }, { upgradeTier: "a" }] },
      ...{ reason: "InvalidTiers", says: /^spec\.tiers\[1\]\.upgradeTier "a": an earlier tier has it already/ },
    },
    {
      spec: { defaultImage: `${dicom}:v2`, tiers: [{ priority: 1.5 }] },
      ...{ reason: "InvalidTiers", says: /^spec\.tiers\[0\]\.priority 1\.5: expected a whole number/ },
    },
    {
      spec: { tiers: [{ image: `${dicom}:v2` }, { upgradeTier: "b", image: `${host}/other:v2` }] },
      ...{
        reason: "InvalidImage",
        says: /^spec\.tiers\[1\]\.image registry\.test\/other: expected registry\.test\/dicom/,
      },
    },
    {
      spec: { defaultImage: `${host}/nobody:v2` },
      reason: "NoWorkload",
      says: /no enabled workload of the namespace has lookout.dev\/policy: service-image and this image/,
    },
  ])("with $spec says $reason", async ({ spec, reason, says }) => {
    const lookout = await started("v2");
    const key = deploy(lookout, "a");
    apply(lookout, spec);
    await passMinutes(lookout, 3);

    expect(conditions(statusOf(lookout))["Complete"]).toBe(`False ${reason}`);
    expect(statusOf(lookout).conditions?.[0]?.message).toMatch(says);
    expect(tagOf(lookout, key)).toBe("v1");
  });
});

import { describe, expect, it } from "vitest";
import { parseSettings } from "#domain/settings/settings";
import { plus, seconds } from "#domain/shared/time";
import { host, type World } from "../world.ts";
import {
  apply,
  conditions,
  deploy,
  dicom,
  passMinutes,
  silence,
  started,
  statusOf,
  tagOf,
  tiersWith,
} from "./service-image-world.ts";

const place = { namespace: "dicom", name: "dicom" };

function remove(lookout: World): void {
  lookout.cluster.definitionObjects.remove("ServiceImage", place);
}

/** Each leaves a workload with the policy service-image without a ServiceImage. */
const ends: readonly { readonly how: string; readonly end: (lookout: World) => void; readonly names?: string }[] = [
  { how: "is deleted", end: remove },
  {
    how: "loses its kind",
    end: (lookout) => {
      lookout.cluster.definitionObjects.uninstall("ServiceImage");
    },
  },
  {
    how: "names another repository",
    end: (lookout) => {
      apply(lookout, { defaultImage: `${host}/other:v2` });
    },
  },
  {
    how: "is created again with a wrong field",
    end: (lookout) => {
      remove(lookout);
      apply(lookout, { defaultImage: "no image!" });
    },
    names: "ServiceImage dicom: spec.defaultImage",
  },
];

describe("a workload whose ServiceImage does not exist", () => {
  it.each(ends)(
    "keeps its image when the ServiceImage $how, and says why",
    async ({ end, names = "lookout.dev/policy" }) => {
      const lookout = await started("v2", "v3");
      const key = deploy(lookout, "a");
      apply(lookout, { defaultImage: `${dicom}:v2` });
      await passMinutes(lookout, 4);
      expect(tagOf(lookout, key)).toBe("v2");

      end(lookout);
      await passMinutes(lookout, 70);
      await lookout.push("dicom", "v4");
      await passMinutes(lookout, 5);
      expect(tagOf(lookout, key)).toBe("v2");
      const { tracked, observed } = await lookout.record(key);
      expect(tracked).toBe(true);
      const says = parseSettings(observed.annotations, observed.containers).problems;
      expect(says).toMatchObject([{ key: names, closes: true }]);
    },
  );

  it("gets no update before its first ServiceImage is read, and none of its other containers ever does", async () => {
    const lookout = await started("v2", "v3");
    await lookout.push("proxy", "1.0.0", { quietly: true });
    await lookout.push("proxy", "2.0.0", { quietly: true });
    const key = deploy(lookout, "a", undefined, {}, [{ name: "proxy", image: `${host}/proxy:1.0.0` }]);
    await passMinutes(lookout, 5);
    expect(lookout.image(key)).toBe(`${dicom}:v1`);

    apply(lookout, { defaultImage: `${dicom}:v2` });
    await passMinutes(lookout, 4);
    const { observed } = await lookout.record(key);
    expect(observed.containers.map(({ image }) => image.replace(/@.*/, ""))).toEqual([
      `${dicom}:v2`,
      `${host}/proxy:1.0.0`,
    ]);
  });

  it("rolls back a failed update, when the ServiceImage is deleted during its rollout", async () => {
    const lookout = await started();
    await lookout.push("dicom", "v2", { quietly: true, crashes: true });
    const key = deploy(lookout, "a");
    apply(lookout, { defaultImage: `${dicom}:v2` });
    await lookout.sync();
    for (let times = 0; times < 60 && tagOf(lookout, key) !== "v2"; times += 1) await lookout.pass(seconds(1));
    remove(lookout);
    await passMinutes(lookout, 15);

    expect(tagOf(lookout, key)).toBe("v1");
    expect(lookout.factNames(key)).toContain("RolledBack");
  });
});

describe("the tiers of a ServiceImage", () => {
  const late: readonly { readonly when: string; readonly before?: object; readonly spec: object }[] = [
    { when: "it is new", spec: tiersWith("v2") },
    { when: "it gets tiers", before: { defaultImage: `${dicom}:v1` }, spec: tiersWith("v2") },
    {
      when: "its tier gets another priority",
      before: tiersWith("v1"),
      spec: {
        tiers: [
          { upgradeTier: "", image: `${dicom}:v2` },
          { upgradeTier: "earlyAccess", image: `${dicom}:v2`, priority: 5 },
        ],
      },
    },
  ];

  it.each(late)("open in their order, though the first one is evaluated late when $when", async ({ before, spec }) => {
    const lookout = await started();
    await lookout.push("dicom", "v2", { quietly: true, crashes: true });
    const [other, early] = [deploy(lookout, "a"), deploy(lookout, "z", "earlyAccess")];
    if (before !== undefined) {
      apply(lookout, before);
      await passMinutes(lookout, 4);
    }
    silence(lookout, "z", plus(lookout.clock.now(), seconds(90)));
    apply(lookout, spec);
    await passMinutes(lookout, 15);

    expect(lookout.factNames(early)).toContain("RolledBack");
    expect(lookout.factNames(other)).not.toContain("RolloutStarted");
    expect(conditions(statusOf(lookout))["Complete"]).toBe("False Halted");
  });
});

describe("the conditions of a ServiceImage", () => {
  it("are not true for a tier that was added, before its workloads are evaluated", async () => {
    const lookout = await started("v2");
    const key = deploy(lookout, "e", "earlyAccess");
    apply(lookout, { defaultImage: `${dicom}:v1` });
    await passMinutes(lookout, 3);
    expect(conditions(statusOf(lookout))["Complete"]).toBe("True Complete");

    apply(lookout, tiersWith("v2", "v1"));
    await lookout.sync();
    expect(statusOf(lookout).observedGeneration).toBe(2);
    expect(conditions(statusOf(lookout))["Complete"]).toBe("Unknown Evaluating");
    await passMinutes(lookout, 4);
    expect(tagOf(lookout, key)).toBe("v2");
    expect(conditions(statusOf(lookout))["Complete"]).toBe("True Complete");
  });

  it("are not true in the sync that first lists a workload with an older image", async () => {
    const lookout = await started("v2");
    deploy(lookout, "a");
    apply(lookout, { defaultImage: `${dicom}:v2` });
    await passMinutes(lookout, 4);
    expect(conditions(statusOf(lookout))["Complete"]).toBe("True Complete");

    deploy(lookout, "late");
    await lookout.sync();
    expect(statusOf(lookout).conditions?.[0]).toMatchObject({
      ...{ type: "Complete", status: "Unknown", reason: "Evaluating" },
      message: "1 of 2 workloads are not evaluated yet",
    });
  });

  it("say that an image which is pushed again under a halted tag is updated", async () => {
    const lookout = await started();
    await lookout.push("dicom", "v2", { quietly: true, crashes: true });
    const key = deploy(lookout, "a");
    apply(lookout, { defaultImage: `${dicom}:v2` });
    await passMinutes(lookout, 15);
    expect(conditions(statusOf(lookout))["Complete"]).toBe("False Halted");

    await lookout.push("dicom", "v2");
    for (let times = 0; times < 60 && tagOf(lookout, key) !== "v2"; times += 1) await lookout.pass(seconds(1));
    await lookout.sync();
    expect(conditions(statusOf(lookout))["InProgress"]).toBe("True Updating");
  });
});

import { describe, expect, it } from "vitest";
import { unblockWorkload } from "#app/api/unblock";
import type { ManifestTemplate } from "#adapters/memory/cluster-manifest";
import { minutes } from "#domain/shared/time";
import { unprovenImages } from "#domain/update/effects/tier";
import { workloadKey } from "#domain/workload/workload";
import { controlOf } from "../control-of.ts";
import { host } from "../world.ts";
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

const allConditions = (text: string) => ({ Complete: text, InProgress: text, UpToDate: text });

describe("a tier of a ServiceImage", () => {
  it("gets an image that moved to its tag only after the earlier tier ran it", async () => {
    const lookout = await started("v2");
    const [other, early] = [deploy(lookout, "a"), deploy(lookout, "z", "earlyAccess")];
    apply(lookout, tiersWith("v2"));
    await passMinutes(lookout, 6);
    const before = lookout.image(other);
    await lookout.push("dicom", "v2", { crashes: true });
    await passMinutes(lookout, 15);

    expect(lookout.factNames(early)).toContain("RolledBack");
    expect(lookout.image(other)).toBe(before);
    expect(conditions(statusOf(lookout))["Complete"]).toBe("False Halted");
    const good = await lookout.push("dicom", "v2");
    await passMinutes(lookout, 10);
    expect([early, other].map((key) => lookout.image(key))).toEqual(Array(2).fill(`${dicom}:v2@${good}`));
    expect(conditions(statusOf(lookout))["Complete"]).toBe("True Complete");
  });

  it.each(["created with", "set by a person to"])(
    "does not begin while a workload of the earlier one was %s an image that crashes",
    async (how) => {
      const lookout = await started();
      await lookout.push("dicom", "v2", { quietly: true, crashes: true });
      const early = deploy(lookout, "z", "earlyAccess", {}, [], how === "created with" ? "v2" : "v1");
      const other = deploy(lookout, "a");
      apply(lookout, tiersWith("v1"));
      await passMinutes(lookout, 4);
      deploy(lookout, "z", "earlyAccess", {}, [], "v2");
      await passMinutes(lookout, 3);
      apply(lookout, tiersWith("v2"));
      await passMinutes(lookout, 10);

      expect([early, other].map((key) => tagOf(lookout, key))).toEqual(["v2", "v1"]);
      expect(statusOf(lookout).conditions?.[0]).toMatchObject({
        ...{ type: "Complete", status: "False" },
        message: "2 of 2 to update: prod/dicom/deployment/z runs v2, and its pods were not seen ready yet",
      });
    },
  );

  it.each(["deleted", "relabelled", "recreated"])(
    "does not get an image that failed in the earlier one, when the failed workload is %s",
    async (how) => {
      const lookout = await started();
      await lookout.push("dicom", "v2", { quietly: true, crashes: true });
      const [other, early] = [deploy(lookout, "a"), deploy(lookout, "z", "earlyAccess")];
      apply(lookout, tiersWith("v2"));
      await passMinutes(lookout, 15);
      expect(lookout.factNames(early)).toContain("RolledBack");
      if (how !== "relabelled") lookout.cluster.remove({ namespace: "dicom", kind: "Deployment", name: "z" });
      await passMinutes(lookout, 2);
      if (how === "recreated") deploy(lookout, "z", "earlyAccess");
      if (how === "relabelled") deploy(lookout, "z", "elsewhere");
      await passMinutes(lookout, 5);

      expect(lookout.factNames(other)).not.toContain("RolloutStarted");
    },
  );

  it.each([
    { what: "with another tag", proxy: "1.0.0", crashes: false, runs: ["v2", "v2"] },
    { what: "with the same tag", proxy: "v2", crashes: true, runs: ["v1", "v1"] },
  ])("looks at the containers of its repository, and not at a proxy of their name $what", async (given) => {
    const lookout = await started();
    await lookout.push("dicom", "v2", { quietly: true, crashes: given.crashes });
    await lookout.push("proxy", given.proxy, { quietly: true });
    const metadata = {
      namespace: "dicom",
      name: "early",
      labels: { "upgrade-tier": "earlyAccess" },
      annotations: { "lookout.dev/enabled": "true", "lookout.dev/policy": "service-image" },
    };
    const containers = [
      { name: "server", image: `${dicom}:v1` },
      { name: "app", image: `${host}/proxy:${given.proxy}` },
    ];
    const template = { spec: { containers } };
    lookout.cluster.apply({ kind: "Deployment", metadata, spec: { replicas: 1, template } });
    const [early, other] = ["prod/dicom/deployment/early", deploy(lookout, "a")];
    apply(lookout, tiersWith("v2"));
    await passMinutes(lookout, 20);

    expect([early, other].map((key) => tagOf(lookout, key))).toEqual(given.runs);
  });

  it("gets an image that a restart brought to the earlier one", async () => {
    const lookout = await started("v2");
    const [early, other] = [
      deploy(lookout, "z", "earlyAccess", {}, [], "v2"),
      deploy(lookout, "a", undefined, {}, [], "v2"),
    ];
    apply(lookout, tiersWith("v2"));
    await passMinutes(lookout, 4);
    const digest = await lookout.push("dicom", "v2", { quietly: true });
    lookout.cluster.restart((await lookout.record(early)).workload, new Date(lookout.clock.now()).toISOString());
    await passMinutes(lookout, 3);
    await lookout.tellAgain("dicom", "v2");
    await passMinutes(lookout, 10);

    expect((await lookout.record(early)).ran?.map((image) => image.digest)).toContain(digest);
    expect(lookout.image(other)).toBe(`${dicom}:v2@${digest}`);
    expect(conditions(statusOf(lookout))["Complete"]).toBe("True Complete");
  });

  it("is never proven by an image that is blocked in it, nor stored anew each minute", async () => {
    const lookout = await started();
    const early = deploy(lookout, "z", "earlyAccess");
    apply(lookout, tiersWith("v1"));
    await passMinutes(lookout, 2);
    const { ran = [], ...record } = await lookout.record(early);
    const blocked = ran.map((image) => ({ ...image, reason: "rollout-failed" as const, seq: 1 }));

    expect(unprovenImages(record, lookout.clock.now())).toMatchObject([{ tag: "v1" }]);
    expect(unprovenImages({ ...record, blocked }, lookout.clock.now())).toEqual([]);
  });

  it("does not hold a container with a policy of its own", async () => {
    const lookout = await started("v2");
    await lookout.push("proxy", "1.0.0", { quietly: true });
    await lookout.push("proxy", "1.1.0", { quietly: true });
    const own = { "lookout.dev/container.proxy.policy": "semver" };
    deploy(lookout, "z", "earlyAccess");
    const other = deploy(lookout, "a", undefined, own, [{ name: "proxy", image: `${host}/proxy:1.0.0` }]);
    apply(lookout, tiersWith("v2"));
    await passMinutes(lookout, 10);

    const { observed } = await lookout.record(other);
    expect(observed.containers.map(({ image }) => image.replace(/@.*/, ""))).toEqual([
      `${dicom}:v2`,
      `${host}/proxy:1.1.0`,
    ]);
  });
});

describe("the status of a ServiceImage", () => {
  it("names a tag that the registry does not have, and is not in progress", async () => {
    const lookout = await started();
    deploy(lookout, "a");
    apply(lookout, { defaultImage: `${dicom}:v9` });
    await passMinutes(lookout, 5);

    expect(conditions(statusOf(lookout))["InProgress"]).toMatch(/^False \w+$/);
    expect(statusOf(lookout).conditions?.[0]?.message).toMatch(
      /^1 of 1 to update: prod\/dicom\/deployment\/a does not get v9: /,
    );
  });

  it("is not in progress while a person's revert holds a workload", async () => {
    const lookout = await started("v2");
    deploy(lookout, "a");
    apply(lookout, { defaultImage: `${dicom}:v2` });
    await passMinutes(lookout, 5);
    lookout.cluster.undo({ namespace: "dicom", kind: "Deployment", name: "a" });
    await passMinutes(lookout, 10);

    expect(conditions(statusOf(lookout))["InProgress"]).toBe("False Held");
  });

  it.each([
    { kind: "Deployment", spec: (template: ManifestTemplate) => ({ replicas: 1, template }) },
    {
      kind: "CronJob",
      spec: (template: ManifestTemplate) => ({ schedule: "0 3 * * *", jobTemplate: { spec: { template } } }),
    },
  ] as const)("is not in progress while a $kind keeps the image that a person set", async ({ kind, spec }) => {
    const lookout = await started("v2");
    const annotations = { "lookout.dev/enabled": "true", "lookout.dev/policy": "service-image" };
    const place = { namespace: "dicom", name: "a" };
    const template = { spec: { containers: [{ name: "app", image: `${dicom}:v2` }] } };
    const object = { kind, metadata: { ...place, annotations }, spec: spec(template) };
    const key = workloadKey(lookout.cluster.apply(object));
    apply(lookout, { defaultImage: `${dicom}:v2` });
    await passMinutes(lookout, 2);
    const [params, body] = [
      { cluster: "prod", ...place, kind },
      { by: "eva", why: "checkout fails" },
    ];
    await controlOf(lookout).setVersion({ params, body: { ...body, version: "v1" } });
    await passMinutes(lookout, 20);

    expect(tagOf(lookout, key)).toBe("v1");
    const message = `1 of 1 to update: ${key} was set to v1 by eva: lookout resume ${key}`;
    expect(conditions(statusOf(lookout))).toEqual(allConditions("False Held"));
    expect(statusOf(lookout).conditions?.map((one) => one.message)).toEqual(Array(3).fill(message));
    await controlOf(lookout).resumeWorkload({ params, body });
    await passMinutes(lookout, 20);
    expect([tagOf(lookout, key), conditions(statusOf(lookout))["Complete"]]).toEqual(["v2", "True Complete"]);
  });

  it("names the two commands that end a person's rollback, one after the other", async () => {
    const lookout = await started("v2");
    const key = deploy(lookout, "a");
    apply(lookout, { defaultImage: `${dicom}:v2` });
    await passMinutes(lookout, 5);
    const [params, body] = [
      { cluster: "prod", namespace: "dicom", kind: "Deployment", name: "a" },
      { by: "eva", why: "checkout fails" },
    ] as const;
    await controlOf(lookout).rollBack({ params, body: { ...body, to: "v1" } });
    await passMinutes(lookout, 3);
    expect(statusOf(lookout).conditions?.[0]).toMatchObject({
      reason: "Halted",
      message: expect.stringMatching(
        `^1 of 1 to update: v2 was rolled back by eva at .*, or lookout unblock ${key}$`,
      ) as string,
    });

    const { workload } = await lookout.record(key);
    await unblockWorkload(workload, { by: "eva" }, lookout.ports);
    await passMinutes(lookout, 3);
    expect(statusOf(lookout).conditions?.[0]).toMatchObject({
      reason: "Held",
      message: `1 of 1 to update: ${key} was rolled back to v1 by eva: lookout resume ${key}`,
    });
    await controlOf(lookout).resumeWorkload({ params, body });
    await passMinutes(lookout, 5);
    expect([tagOf(lookout, key), conditions(statusOf(lookout))["Complete"]]).toEqual(["v2", "True Complete"]);
  });

  it("is not complete for its only workload, which is in no tier", async () => {
    const lookout = await started("v2");
    deploy(lookout, "a", "unknown");
    apply(lookout, { tiers: [{ upgradeTier: "early", image: `${dicom}:v2` }] });
    await passMinutes(lookout, 4);

    expect(statusOf(lookout).conditions?.[0]).toMatchObject({
      ...{ status: "False", reason: "NoWorkload" },
      message: "0 of 1 run the image; 1 in no tier, and not updated",
    });
  });

  it("names the older ServiceImage that has its workloads", async () => {
    const lookout = await started("v2");
    deploy(lookout, "a");
    const objects = lookout.cluster.definitionObjects;
    apply(lookout, { defaultImage: `${dicom}:v2` });
    await lookout.pass(minutes(1));
    objects.apply("ServiceImage", { namespace: "dicom", name: "younger" }, { defaultImage: `${dicom}:v1` });
    await passMinutes(lookout, 4);

    const younger = objects.all().find(({ name }) => name === "younger");
    expect(younger?.status).toMatchObject({
      conditions: [
        {
          ...{ status: "False", reason: "NoWorkload" },
          message: "the older ServiceImage dicom has the workloads with this image: remove one of the two",
        },
        {},
        {},
      ],
    });
  });
});

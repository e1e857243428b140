import { describe, expect, it } from "vitest";
import { syncCluster } from "#app/detect/sync-cluster";
import { seconds } from "#domain/shared/time";
import { host, world } from "../world.ts";
import { apply, conditions, declared, deploy, messages, objectOf, passMinutes, web } from "./image-policy-world.ts";

describe("an ImagePolicy", () => {
  it("updates the container of its repository, and says so in its status", async () => {
    const lookout = declared();
    await lookout.push("shop/web", "1.0.0", { quietly: true });
    await lookout.push("shop/side", "1.0.0", { quietly: true });
    const key = deploy(lookout, { side: `${host}/shop/side:1.0.0` });
    apply(lookout);
    await passMinutes(lookout, 2);
    await lookout.push("shop/side", "1.1.0");
    await lookout.push("shop/web", "1.10.0");
    await lookout.push("shop/web", "1.9.0");
    await passMinutes(lookout, 3);

    expect(lookout.image(key)).toMatch(/shop\/web:1\.10\.0@/);
    expect(objectOf(lookout)?.status).toEqual({
      observedGeneration: 1,
      lastAppliedTag: "1.10.0",
      lastCheckedTime: expect.stringMatching(/^2026-11-21T10:0\d:\d\dZ$/) as string,
      conditions: [
        {
          ...{ type: "Ready", status: "True", reason: "Applies", observedGeneration: 1 },
          message: "gives the settings of prod/shop/deployment/web",
          lastTransitionTime: expect.any(String) as string,
        },
        {
          ...{ type: "UpToDate", status: "True", reason: "UpToDate", observedGeneration: 1 },
          message: "runs the newest image",
          lastTransitionTime: expect.any(String) as string,
        },
      ],
    });
    expect((await lookout.record(key)).observed.containers.map(({ image }) => image)).toEqual([
      lookout.image(key),
      `${host}/shop/side:1.0.0`,
    ]);
  });

  it.each([
    { strategy: "Latest", tags: ["latest"], runs: "latest" },
    { strategy: "Regex", pattern: "rel-\\d+", tags: ["rel-9", "rel-10", "x-rel-99", "rel-99-x"], runs: "rel-9" },
    { strategy: "SemVer", pattern: "1\\.18\\..*", tags: ["1.18.3", "1.18.10", "1.19.0"], runs: "1.18.10" },
  ])("with the strategy $strategy selects $runs of $tags", async ({ strategy, pattern, tags, runs }) => {
    const lookout = declared();
    await lookout.push("shop/web", "1.0.0", { quietly: true });
    const key = deploy(lookout, {}, strategy === "Latest" ? "CronJob" : "Deployment");
    for (const tag of tags) await lookout.push("shop/web", tag, { quietly: true });
    apply(lookout, {
      strategy,
      ...(pattern === undefined ? {} : { pattern }),
      ...(strategy === "Latest" ? { kind: "CronJob" } : {}),
    });
    await passMinutes(lookout, 3);

    expect(lookout.image(key).replace(/@.*/, "")).toBe(`${web}:${runs}`);
  });

  it("follows the digest of latest when it moves", async () => {
    const lookout = declared();
    await lookout.push("shop/web", "latest", { quietly: true });
    const key = deploy(lookout, { app: `${web}:latest` });
    apply(lookout, { strategy: "Latest" });
    await passMinutes(lookout, 2);
    const digest = await lookout.push("shop/web", "latest");
    await passMinutes(lookout, 2);

    expect(lookout.image(key)).toBe(`${web}:latest@${digest}`);
  });

  it("says what an update waits for, and when a broken image is rolled back", async () => {
    const lookout = declared();
    await lookout.push("shop/web", "1.0.0", { quietly: true });
    const key = deploy(lookout, { annotations: { "lookout.dev/maintenance-window": "10:05-10:30" } });
    apply(lookout);
    await passMinutes(lookout, 1);
    await lookout.push("shop/web", "1.1.0", { broken: true });
    await passMinutes(lookout, 2);
    expect(conditions(lookout)).toEqual(["Ready=True Applies", "UpToDate=False WindowClosed"]);

    await passMinutes(lookout, 15);
    expect(conditions(lookout)).toEqual(["Ready=True Applies", "UpToDate=False DigestBlocked"]);
    expect(lookout.image(key)).toBe(`${web}:1.0.0`);
  });

  it.each([
    {
      given: { repository: "not a name!" },
      reason: "InvalidRepository",
      says: /^spec\.repository "not a name!": expect/,
    },
    { given: { repository: `${web}:1` }, reason: "InvalidRepository", says: /expected a repository without a tag/ },
    { given: { repository: 7 }, reason: "InvalidRepository", says: /^spec\.repository 7: / },
    { given: { strategy: "Newest" }, reason: "InvalidStrategy", says: /^spec\.tagPolicy\.strategy "Newest": expected/ },
    { given: { strategy: "Regex" }, reason: "InvalidPattern", says: /^spec\.tagPolicy\.pattern is missing/ },
    { given: { strategy: "Regex", pattern: "(" }, reason: "InvalidPattern", says: /^spec\.tagPolicy\.pattern "\(": / },
    { given: { pattern: "1".repeat(129) }, reason: "InvalidPattern", says: /expected .* of at most 128 characters$/ },
    { given: { every: 0 }, reason: "InvalidInterval", says: /expected whole minutes from 1 to 10080/ },
    { given: { every: "5" }, reason: "InvalidInterval", says: /^spec\.pollIntervalMinutes "5": / },
    { given: { kind: "Pod" }, reason: "InvalidTarget", says: /^spec\.updateTarget\.kind "Pod": expected Deployment, / },
    { given: { target: "../web" }, reason: "InvalidTarget", says: /^spec\.updateTarget\.name "\.\.\/web": / },
    { given: { targetNamespace: "pay" }, reason: "OtherNamespace", says: /"pay": expected shop: a policy updates/ },
    { given: { target: "gone" }, reason: "TargetNotFound", says: /^the namespace has no Deployment gone$/ },
    { given: { repository: `${host}/shop/x` }, reason: "NoContainer", says: /no container with an image of registry/ },
  ])("with $given says $reason, and updates nothing", async ({ given, reason, says }) => {
    const lookout = declared();
    await lookout.push("shop/web", "1.0.0", { quietly: true });
    const key = deploy(lookout);
    apply(lookout, given);
    await passMinutes(lookout, 2);
    await lookout.push("shop/web", "1.1.0");
    await passMinutes(lookout, 2);

    expect(conditions(lookout)).toEqual([`Ready=False ${reason}`, `UpToDate=False ${reason}`]);
    expect(messages(lookout)[0]).toMatch(says);
    expect(lookout.image(key)).toBe(`${web}:1.0.0`);
  });

  it("closes its target when its pattern becomes invalid, and opens it again", async () => {
    const lookout = declared();
    await lookout.push("shop/web", "1.0.0", { quietly: true });
    const key = deploy(lookout);
    apply(lookout);
    await passMinutes(lookout, 2);
    apply(lookout, { pattern: "[" });
    await passMinutes(lookout, 2);
    await lookout.push("shop/web", "1.1.0");
    await passMinutes(lookout, 2);
    expect(lookout.image(key)).toBe(`${web}:1.0.0`);
    expect(conditions(lookout)[0]).toBe("Ready=False InvalidPattern");

    apply(lookout);
    await passMinutes(lookout, 3);
    expect(lookout.image(key)).toMatch(/web:1\.1\.0@/);
    expect(objectOf(lookout)?.status).toMatchObject({ observedGeneration: 3, lastAppliedTag: "1.1.0" });
  });

  it("does not touch a workload that a person enabled by an annotation", async () => {
    const lookout = declared();
    await lookout.push("shop/web", "1.0.0", { quietly: true });
    const key = deploy(lookout, { annotations: { "lookout.dev/enabled": "true", "lookout.dev/semver-range": "~1.0" } });
    apply(lookout);
    await passMinutes(lookout, 2);
    await lookout.push("shop/web", "1.1.0");
    await passMinutes(lookout, 2);

    expect(conditions(lookout)[0]).toBe("Ready=False TargetHasAnnotations");
    expect(lookout.image(key)).toBe(`${web}:1.0.0`);
  });

  it("of a workload that a person enabled reports that, and not an older policy", async () => {
    const lookout = declared();
    await lookout.push("shop/web", "1.0.0", { quietly: true });
    deploy(lookout, { annotations: { "lookout.dev/enabled": "true" } });
    apply(lookout, { name: "older" });
    await lookout.pass(seconds(5));
    apply(lookout, { name: "an-younger" });
    await passMinutes(lookout, 12);

    for (const name of ["older", "an-younger"])
      expect(conditions(lookout, name)[0]).toBe("Ready=False TargetHasAnnotations");
  });

  it("that is younger than another one about the same container reports it", async () => {
    const lookout = declared();
    await lookout.push("shop/web", "1.0.0", { quietly: true });
    deploy(lookout);
    apply(lookout, { name: "older", pattern: "1\\..*" });
    await lookout.pass(seconds(5));
    apply(lookout, { name: "an-younger" });
    await passMinutes(lookout, 3);

    expect(conditions(lookout, "older")[0]).toBe("Ready=True Applies");
    expect(conditions(lookout, "an-younger")[0]).toBe("Ready=False OlderPolicyApplies");
    expect(messages(lookout, "an-younger")[0]).toBe(
      "the older ImagePolicy older is about container app: remove one of them",
    );
  });

  it("that is deleted leaves its target untracked", async () => {
    const lookout = declared();
    await lookout.push("shop/web", "1.0.0", { quietly: true });
    const key = deploy(lookout);
    apply(lookout);
    await passMinutes(lookout, 2);
    expect((await lookout.record(key)).tracked).toBe(true);
    lookout.cluster.definitionObjects.remove("ImagePolicy", { namespace: "shop", name: "web" });
    await passMinutes(lookout, 2);

    expect((await lookout.record(key)).tracked).toBe(false);
  });

  it("whose sync dies after it stored the policy still reaches its target with the next sync", async () => {
    const lookout = declared();
    await lookout.push("shop/web", "1.0.0", { quietly: true });
    const key = deploy(lookout);
    await passMinutes(lookout, 2);
    apply(lookout);
    const { queues } = lookout.ports;
    const send = queues.send.bind(queues);
    Object.assign(queues, { send: () => Promise.reject(new Error("the process dies")) });
    await syncCluster(
      { name: "SyncCluster", id: "s", cluster: "prod" },
      lookout.ports,
      new AbortController().signal,
    ).catch(() => undefined);
    Object.assign(queues, { send });
    await passMinutes(lookout, 1);

    expect((await lookout.record(key)).tracked).toBe(true);
  });

  it("counts only where lookout.yaml says so", async () => {
    const lookout = world();
    await lookout.push("shop/web", "1.0.0", { quietly: true });
    const key = deploy(lookout);
    apply(lookout);
    await passMinutes(lookout, 2);

    expect(await lookout.ports.store.read(key)).toBeUndefined();
    expect(lookout.cluster.definitionObjects.asked).toEqual({ lists: 0, statuses: 0 });
  });
});

it("500 quiet ImagePolicies cost one list of each kind for each sync, and no write", async () => {
  const lookout = declared();
  await lookout.push("shop/web", "1.0.0", { quietly: true });
  for (let index = 0; index < 500; index += 1) {
    const name = `web-${String(index)}`;
    const metadata = { namespace: "shop", name };
    const template = { spec: { containers: [{ name: "app", image: `${web}:1.0.0` }] } };
    lookout.cluster.apply({ kind: "Deployment", metadata, spec: { replicas: 1, template } });
    apply(lookout, { name, target: name });
  }
  await passMinutes(lookout, 3);
  expect(conditions(lookout, "web-499")).toEqual(["Ready=True Applies", "UpToDate=True UpToDate"]);
  const { asked } = lookout.cluster.definitionObjects;
  const before = { ...asked };
  await passMinutes(lookout, 3);

  expect({ lists: asked.lists - before.lists, statuses: asked.statuses - before.statuses }).toEqual({
    lists: 9,
    statuses: 0,
  });
});

it("a kind that the cluster gets counts from the next sync on", async () => {
  const lookout = declared();
  const { definitionObjects } = lookout.cluster;
  definitionObjects.uninstall("ImagePolicy");
  await passMinutes(lookout, 5);
  definitionObjects.install("ImagePolicy");
  await lookout.push("shop/web", "1.0.0", { quietly: true });
  const key = deploy(lookout);
  apply(lookout);
  await passMinutes(lookout, 1);

  expect((await lookout.record(key)).tracked).toBe(true);
});

it("the status of an ImagePolicy that could not be written is written within ten minutes", async () => {
  const lookout = declared();
  await lookout.push("shop/web", "1.0.0", { quietly: true });
  apply(lookout);
  await passMinutes(lookout, 3);
  expect(conditions(lookout)[0]).toBe("Ready=False TargetNotFound");
  const { faults } = lookout.cluster.definitionObjects;
  deploy(lookout, { app: `${host}/shop/other:1.0.0` });
  faults.status = () => ({ kind: "unreachable", detail: "503" });
  await passMinutes(lookout, 1);
  faults.status = () => undefined;
  await passMinutes(lookout, 10);

  expect(conditions(lookout)[0]).toBe("Ready=False NoContainer");
});

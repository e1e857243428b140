import { describe, expect, it } from "vitest";
import { minutes } from "#domain/shared/time";
import { requestVersion } from "#app/api/request-version";
import { parseWorkloadKey } from "#domain/workload/workload";
import { host, world, type World } from "../world.ts";

const repository = `${host}/shop/cache`;
const range = { "lookout.dev/semver-range": ">=1" };

function unset(): World {
  const none = undefined;
  return world({}, none, none, none, none, none, none, none, none, { definitions: true }, { app: repository });
}

/** Tracks an object of another operator whose container has no image. */
async function tracked(
  annotations: Readonly<Record<string, string>> = range,
  prepare: (lookout: World) => Promise<unknown> = (lookout) => lookout.push("shop/cache", "1.0.0", { quietly: true }),
) {
  const lookout = unset();
  await prepare(lookout);
  const key = lookout.deploy({ kind: "cache.cache.example.com", name: "sessions", image: "", annotations });
  await lookout.sync();
  await lookout.pass(minutes(5));
  return { lookout, key };
}

describe("an object without an image", () => {
  it("gets the image that its policy selects, and updates as any other", async () => {
    const { lookout, key } = await tracked();
    const first = lookout.image(key);
    const digest = await lookout.push("shop/cache", "1.1.0");
    await lookout.pass(minutes(5));

    expect(first).toMatch(/^registry\.test\/shop\/cache:1\.0\.0@sha256:/);
    expect(lookout.image(key)).toBe(`${repository}:1.1.0@${digest}`);
    expect(lookout.factNames(key).filter((name) => name === "RolloutSucceeded")).toHaveLength(2);
  });

  it.each([
    ["semver with a range", range],
    ["alphabetical", { "lookout.dev/policy": "alphabetical" }],
    [
      "alphabetical with one tag, as a ServiceImage",
      { "lookout.dev/policy": "alphabetical", "lookout.dev/include-tags": "1.0.0" },
    ],
  ])("gets its first image by the policy %s", async (_, annotations) => {
    const { lookout, key } = await tracked(annotations);

    expect(lookout.image(key)).toContain(`${repository}:1.0.0@sha256:`);
  });

  it("gets the newest image of the policy latest with the next push", async () => {
    const { lookout, key } = await tracked({ "lookout.dev/policy": "latest" });
    const before = lookout.image(key);
    const digest = await lookout.push("shop/cache", "1.1.0");
    await lookout.pass(minutes(5));

    expect([before, lookout.image(key)]).toEqual(["", `${repository}:1.1.0@${digest}`]);
  });

  it.each([
    ["no policy", {}, "no-tag-to-follow"],
    ["the policy digest", { "lookout.dev/policy": "digest" }, "no-tag-to-follow"],
    ["the policy semver without a range", { "lookout.dev/policy": "semver" }, "current-tag-not-a-version"],
  ])("gets none by %s, which needs a running tag", async (_, annotations, reason) => {
    const { lookout, key } = await tracked(annotations);

    expect(lookout.image(key)).toBe("");
    expect((await lookout.record(key)).selectionFailures).toMatchObject([{ container: "app", reason }]);
  });

  it("gets none while a gate is closed", async () => {
    const { lookout, key } = await tracked({ ...range, "lookout.dev/approval-required": "true" });

    expect(lookout.image(key)).toBe("");
    expect((await lookout.record(key)).pending?.waits).toMatchObject([{ reason: "needs-approval" }]);
  });

  it("gets the image of its tier in a ServiceImage", async () => {
    const lookout = unset();
    const digests = [await lookout.push("shop/cache", "v1"), await lookout.push("shop/cache", "v2")];
    const deploy = (image: string) => {
      const annotations = { "lookout.dev/policy": "service-image" };
      return lookout.deploy({
        kind: "cache.cache.example.com",
        name: image === "" ? "new" : "old",
        image,
        annotations,
      });
    };
    const keys = [deploy(""), deploy(`${repository}:v1`)];
    const apply = (tag: string) => {
      const spec = { tiers: [{ upgradeTier: "", image: `${repository}:${tag}`, priority: 0 }] };
      lookout.cluster.definitionObjects.apply("ServiceImage", { namespace: "shop", name: "cache" }, spec);
    };
    apply("v1");
    for (let times = 0; times < 3; times += 1) {
      await lookout.sync();
      await lookout.pass(minutes(1));
    }
    const first = keys.map((key) => lookout.image(key));
    apply("v2");
    for (let times = 0; times < 3; times += 1) {
      await lookout.sync();
      await lookout.pass(minutes(1));
    }

    expect(first).toEqual([`${repository}:v1@${digests[0] ?? ""}`, `${repository}:v1`]);
    expect(keys.map((key) => lookout.image(key))).toEqual([
      `${repository}:v2@${digests[1] ?? ""}`,
      `${repository}:v2@${digests[1] ?? ""}`,
    ]);
    expect(lookout.cluster.definitionObjects.all()[0]?.status).toMatchObject({
      conditions: expect.arrayContaining([expect.objectContaining({ type: "Complete", status: "True" })]) as unknown,
    });
  });

  it("keeps a first image that fails, and gets the next tag", async () => {
    const broken = (lookout: World) => lookout.push("shop/cache", "1.0.0", { quietly: true, broken: true });
    const { lookout, key } = await tracked(range, broken);
    const failed = lookout.image(key);
    const { last, blocked } = await lookout.record(key);
    const names = lookout.factNames(key);
    const digest = await lookout.push("shop/cache", "1.0.1");
    await lookout.pass(minutes(5));

    expect(failed).toContain(`${repository}:1.0.0@sha256:`);
    expect(last).toMatchObject({
      status: "failed",
      detail: expect.stringMatching(/; app had no image before, and keeps this one until a newer tag comes$/) as string,
    });
    expect(blocked).toMatchObject([{ tag: "1.0.0", reason: "rollout-failed" }]);
    expect(names).not.toContain("RolledBack");
    expect(lookout.image(key)).toBe(`${repository}:1.0.1@${digest}`);
  });

  it("goes to the tag of rollback-to after a failure", async () => {
    const both = async (lookout: World) => {
      await lookout.push("shop/cache", "0.9.0", { quietly: true });
      await lookout.push("shop/cache", "1.0.0", { quietly: true, broken: true });
    };
    const { lookout, key } = await tracked({ ...range, "lookout.dev/rollback-to": "0.9.0" }, both);

    expect(lookout.image(key)).toContain(`${repository}:0.9.0@sha256:`);
    expect(lookout.factNames(key)).toContain("RolledBack");
  });

  it("holds when a person removes the image again", async () => {
    const { lookout, key } = await tracked();
    lookout.cluster.setImage(
      { namespace: "shop", kind: "cache.cache.example.com", name: "sessions" },
      "app",
      "",
      "kubectl-edit",
    );
    await lookout.sync();
    await lookout.pass(minutes(5));

    expect(lookout.image(key)).toBe("");
    expect((await lookout.record(key)).hold).toMatchObject({ reason: "reverted-by-user" });
  });

  it("has no image to which a person could roll back", async () => {
    const { lookout, key } = await tracked();
    const workload = parseWorkloadKey(key);
    if (!workload.ok) throw new Error(key);
    const request = { as: "rollback", workload: workload.value, by: "ann", why: "slow" };
    const answer = await requestVersion(request as never, { ports: lookout.ports } as never);

    expect(answer).toMatchObject({
      kind: "version-refused",
      detail: `container app had no image before the last update. Name the version: lookout rollback ${key} --to VERSION --why REASON`,
    });
  });
});

import { named } from "#test/named";
import { beforeEach, describe, expect, it } from "vitest";
import { explain } from "#app/api/explain";
import { unblockWorkload } from "#app/api/unblock";
import { minutes, seconds } from "#domain/shared/time";
import { api, host, trackApi, type World, world, worldWithApi } from "../world.ts";

let lookout: World;
beforeEach(async () => {
  lookout = await worldWithApi();
});

/** Applies the manifest again: with the image of its first version, unless another is given. */
function applyAgain(manager: string, image = `${host}/shop/api:1.0.0`, annotations: Record<string, string> = {}): void {
  const spec = { replicas: 2, template: { spec: { containers: [{ name: "app", image }] } } };
  const metadata = { ...api, annotations: { "lookout.dev/enabled": "true", ...annotations } };
  lookout.cluster.apply({ kind: "Deployment", metadata, spec }, manager);
}

async function updated(annotations: Record<string, string> = {}): Promise<string> {
  const key = await trackApi(lookout, annotations);
  await lookout.push("shop/api", "1.1.0");
  await lookout.pass(seconds(30));
  expect(lookout.image(key)).toContain("shop/api:1.1.0@");
  return key;
}

const waits = async (key: string) => (await lookout.record(key)).pending?.waits;
const explained = async (key: string) => {
  const answer = await explain(key, lookout.ports, new AbortController().signal);
  return answer?.gates.find(({ gate }) => gate === "reapply");
};

describe("a manifest that is applied again with the image from before", () => {
  it("holds the digest for an hour, and then the update comes again", async () => {
    const key = await updated();
    applyAgain("kubectl-client-side-apply");
    await lookout.sync();
    await lookout.pass(minutes(5));

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0`);
    expect(await waits(key)).toEqual([
      {
        reason: "manifest-applied-again",
        detail:
          "kubectl-client-side-apply restored 1.0.0 at 2026-11-21T10:00:32.000Z; 1.1.0 comes again at 2026-11-21T11:00:32.000Z",
        until: Date.parse("2026-11-21T11:00:32Z"),
      },
    ]);
    expect((await lookout.record(key)).hold).toBeUndefined();
    expect(lookout.facts.filter(({ name }) => name === "UpdateSuperseded")).toMatchObject([
      { seq: 1, reasons: [{ reason: "manifest-applied-again" }] },
    ]);
    expect(lookout.factNames(key)).not.toContain("RevertedByUser");

    await lookout.pass(minutes(56));
    await lookout.reap();
    await lookout.pass(seconds(30));
    expect(lookout.image(key)).toContain("shop/api:1.1.0@");
    expect((await lookout.record(key)).restored).toBeUndefined();
  });

  it("does not hold a newer digest", async () => {
    const key = await updated();
    applyAgain("kubectl-client-side-apply");
    await lookout.sync();
    await lookout.push("shop/api", "1.2.0");
    await lookout.pass(seconds(30));

    expect(lookout.image(key)).toContain("shop/api:1.2.0@");
  });

  it("holds the newest digest after several updates", async () => {
    const key = await updated();
    const second = (await lookout.record(key)).observed.containers[0]?.digest;
    await lookout.push("shop/api", "1.2.0");
    await lookout.pass(seconds(30));
    applyAgain("kubectl-client-side-apply");
    await lookout.sync();
    await lookout.pass(minutes(1));

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0`);
    expect((await lookout.record(key)).observed.containers[0]?.digest).not.toBe(second);
    expect(await explained(key)).toMatchObject({ open: false });
    expect((await waits(key))?.[0]?.detail).toContain("1.2.0 comes again at");
  });

  it("during the rollout waits for a person, because the pods were not ready", async () => {
    const key = await trackApi(lookout);
    await lookout.push("shop/api", "1.1.0");
    await lookout.settle();
    expect(lookout.image(key)).toContain("shop/api:1.1.0@");
    applyAgain("kubectl-client-side-apply");
    await lookout.pass(minutes(90));

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0`);
    expect((await waits(key))?.[0]?.detail).toContain(
      "the pods of 1.1.0 were not ready; 1.1.0 waits for lookout unblock",
    );
  });

  it.each(["helm", "terraform-provider-helm_v2"])("by %s waits for a person, who lets it go on", async (manager) => {
    const key = await updated();
    applyAgain(manager);
    await lookout.sync();
    await lookout.pass(minutes(90));
    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0`);
    expect((await waits(key))?.[0]?.detail).toContain("1.1.0 waits for lookout unblock");

    const [taken] = (await lookout.record(key)).restored ?? [];
    const { imageName, tag, digest } = taken!;
    expect(await unblockWorkload(named(key), { by: "ana" }, lookout.ports, { digest })).toEqual({
      workload: key,
      hold: false,
      blocked: 1,
      digests: [{ imageName, tag, digest }],
      rejected: 0,
      left: { hold: false, digests: [] },
    });
    await lookout.pass(seconds(30));
    expect(lookout.image(key)).toContain("shop/api:1.1.0@");
  });

  it.each([
    ["after 10m", minutes(11), "1.1.0@"],
    ["ask", minutes(90), "1.0.0"],
  ])("follows lookout.dev/reapply: %s", async (reapply, passes, image) => {
    const key = await updated({ "lookout.dev/reapply": reapply });
    applyAgain("kubectl-client-side-apply");
    await lookout.sync();
    await lookout.pass(passes);

    expect(lookout.image(key)).toContain(`shop/api:${image}`);
  });

  it("with another image decides, as before", async () => {
    await lookout.push("shop/api", "1.0.5", { quietly: true });
    const key = await updated();
    applyAgain("kubectl-client-side-apply", `${host}/shop/api:1.0.5`);
    await lookout.sync();
    await lookout.pass(minutes(90));

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.5`);
    const { blocked } = await lookout.record(key);
    expect(blocked.map(({ tag, reason }) => [tag, reason])).toEqual([["1.1.0", "changed-by-hand"]]);
  });

  it("with the running image blocks nothing, and updates go on", async () => {
    const key = await updated();
    applyAgain("kubectl-client-side-apply", `${host}/shop/api:1.1.0`);
    await lookout.sync();
    await lookout.pass(minutes(5));
    expect((await lookout.record(key)).blocked).toEqual([]);
    expect((await lookout.record(key)).hold).toBeUndefined();

    await lookout.push("shop/api", "1.2.0");
    await lookout.pass(seconds(30));
    expect(lookout.image(key)).toContain("shop/api:1.2.0@");
  });

  it("is told before it happens", async () => {
    const key = await updated();
    const answer = await explain(key, lookout.ports, new AbortController().signal);

    expect(answer?.notices).toEqual([
      "Container app runs 1.1.0, and the manifest that kubectl-client-side-apply applied names 1.0.0: its next apply sets it back. Write 1.1.0 into the manifest.",
    ]);
  });

  it.each(["kubectl", "kubectl-set", "kubectl-edit"])("by %s is a person, and holds the workload", async (manager) => {
    const key = await updated();
    applyAgain(manager);
    await lookout.sync();
    await lookout.pass(minutes(90));

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0`);
    expect((await lookout.record(key)).hold).toMatchObject({ reason: "reverted-by-user" });
  });
});

describe("a deploy tool whose field manager is in lookout.yaml", () => {
  beforeEach(async () => {
    const defaults = { semver: "any", appliers: ["deploy-*"] } as const;
    lookout = world({}, undefined, undefined, undefined, undefined, undefined, defaults);
    await lookout.push("shop/api", "1.0.0", { quietly: true });
  });

  it("restores the image for an hour, and newer digests go on", async () => {
    const key = await updated();
    applyAgain("deploy-bot");
    await lookout.sync();
    await lookout.pass(minutes(5));
    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0`);
    expect((await lookout.record(key)).hold).toBeUndefined();
    expect((await waits(key))?.[0]?.detail).toBe(
      "deploy-bot restored 1.0.0 at 2026-11-21T10:00:32.000Z; 1.1.0 comes again at 2026-11-21T11:00:32.000Z",
    );

    await lookout.push("shop/api", "1.2.0");
    await lookout.pass(seconds(30));
    expect(lookout.image(key)).toContain("shop/api:1.2.0@");
  });

  it("during the rollout waits for a person", async () => {
    const key = await trackApi(lookout);
    await lookout.push("shop/api", "1.1.0");
    await lookout.settle();
    applyAgain("deploy-bot");
    await lookout.pass(minutes(90));

    expect((await waits(key))?.[0]?.detail).toContain(
      "the pods of 1.1.0 were not ready; 1.1.0 waits for lookout unblock",
    );
  });

  it("holds the workload if lookout.yaml names another field manager", async () => {
    const key = await updated();
    applyAgain("deployer");
    await lookout.sync();
    await lookout.pass(minutes(5));

    expect((await lookout.record(key)).hold).toMatchObject({ reason: "reverted-by-user" });
  });
});

describe("lookout.dev/reapply", () => {
  it.each(["after -1h", "after", "1h", "after 0s", "after 100d"])("holds updates at %s", async (reapply) => {
    const key = await trackApi(lookout, { "lookout.dev/reapply": reapply });
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(30));

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0`);
    expect((await lookout.record(key)).selectionFailures).toMatchObject([
      {
        reason: "problem-in-settings",
        detail: expect.stringContaining(`lookout.dev/reapply "${reapply}": expected`) as string,
      },
    ]);
  });
});

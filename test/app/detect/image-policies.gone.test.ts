import { describe, expect, it } from "vitest";
import { policyStatus } from "#app/detect/policy-status";
import { seconds } from "#domain/shared/time";
import type { Cluster } from "#ports/cluster";
import { host, type World } from "../world.ts";
import { apply, conditions, declared, deploy, messages, objectOf, passMinutes } from "./image-policy-world.ts";

const place = { namespace: "shop", name: "web" };

function remove(lookout: World): void {
  lookout.cluster.definitionObjects.remove("ImagePolicy", place);
}

async function started(...tags: readonly string[]): Promise<World> {
  const lookout = declared();
  for (const tag of tags) await lookout.push("shop/web", tag, { quietly: true });
  return lookout;
}

function tagOf(lookout: World, key: string): string | undefined {
  return lookout.image(key).replace(/@.*/, "").split(":").at(-1);
}

/** Counts the reads of single workloads from now on. */
function countReads({ cluster }: World): { count: number } {
  const read = cluster.read.bind(cluster);
  const reads = { count: 0 };
  Object.assign(cluster, {
    read: ((workload, signal) => {
      reads.count += 1;
      return read(workload, signal);
    }) satisfies Cluster["read"],
  });
  return reads;
}

/** Lets a broken image roll out, and returns the key of its workload. */
async function rollingOut(lookout: World, side?: string): Promise<string> {
  const key = deploy(lookout, side === undefined ? {} : { side });
  apply(lookout);
  await passMinutes(lookout, 2);
  await lookout.push("shop/web", "1.1.0", { pulled: { afterMs: 3_600_000, because: "denial" } });
  for (let times = 0; times < 120 && tagOf(lookout, key) !== "1.1.0"; times += 1) await lookout.pass(seconds(0.5));
  expect(tagOf(lookout, key)).toBe("1.1.0");
  return key;
}

const excluding = { "lookout.dev/container.app.exclude-tags": "*-debug" };

/** Returns what annotates the target. */
function annotate(annotations: Readonly<Record<string, string>>): (lookout: World) => void {
  return (lookout) => {
    lookout.cluster.annotate({ namespace: "shop", kind: "Deployment", name: "web" }, annotations);
  };
}

const changes: readonly {
  readonly how: string;
  readonly change: (lookout: World) => void | Promise<void>;
  readonly tracked: boolean;
  readonly runs?: string;
}[] = [
  { how: "is deleted", change: remove, tracked: false },
  {
    how: "loses its kind",
    change: (lookout) => {
      lookout.cluster.definitionObjects.uninstall("ImagePolicy");
    },
    tracked: false,
  },
  {
    how: "names another target",
    change: (lookout) => {
      apply(lookout, { target: "other" });
    },
    tracked: false,
  },
  {
    how: "names another repository",
    change: (lookout) => {
      apply(lookout, { repository: `${host}/shop/x` });
    },
    tracked: false,
  },
  {
    how: "gets a wrong target",
    change: (lookout) => {
      apply(lookout, { kind: "Pod" });
    },
    tracked: true,
  },
  {
    how: "gets a wrong pattern",
    change: (lookout) => {
      apply(lookout, { pattern: "[" });
    },
    tracked: true,
  },
  {
    how: "is replaced by force",
    change: (lookout) => {
      remove(lookout);
      apply(lookout);
    },
    tracked: true,
    runs: "1.2.0",
  },
  { how: "meets tags of a person for the container", change: annotate(excluding), tracked: true },
  { how: "meets a policy of a person", change: annotate({ "lookout.dev/policy": "service-image" }), tracked: true },
  {
    how: "meets JSON of a person, and is deleted then",
    change: async (lookout) => {
      annotate({ "lookout.dev/containers": '{"app":{"enabled":false}}' })(lookout);
      await lookout.sync();
      await lookout.pass(seconds(5));
      remove(lookout);
    },
    tracked: false,
  },
];

describe("the target of an ImagePolicy that changes during a rollout", () => {
  it.each(changes)("is judged and rolled back when the policy $how", async ({ change, tracked, runs = "1.0.0" }) => {
    const lookout = await started("1.0.0");
    const key = await rollingOut(lookout);
    await change(lookout);
    await lookout.sync();
    await lookout.push("shop/web", "1.2.0");
    await lookout.pass(seconds(5));
    expect(await lookout.record(key)).toMatchObject({ tracked: true, active: { changes: [{ tag: "1.1.0" }] } });
    for (let minutes = 0; minutes < 10 && !lookout.factNames(key).includes("RolledBack"); minutes += 1)
      await passMinutes(lookout, 1);
    expect(lookout.factNames(key)).toContain("RolledBack");
    await passMinutes(lookout, 4);
    expect([tagOf(lookout, key), (await lookout.record(key)).tracked]).toEqual([runs, tracked]);
  });

  it("is judged and rolled back when a person selects its tags, although another policy gives another container's", async () => {
    const lookout = await started("1.0.0");
    await lookout.push("shop/side", "1.0.0", { quietly: true });
    apply(lookout, { name: "side", repository: `${host}/shop/side` });
    const key = await rollingOut(lookout, `${host}/shop/side:1.0.0`);
    annotate(excluding)(lookout);
    await passMinutes(lookout, 12);

    expect(lookout.factNames(key)).toContain("RolledBack");
    expect(tagOf(lookout, key)).toBe("1.0.0");
  });

  it("stays closed when a wrong target hides it, although a younger policy names it", async () => {
    const lookout = await started("1.0.0");
    const key = deploy(lookout);
    apply(lookout);
    await passMinutes(lookout, 2);
    apply(lookout, { name: "younger" });
    apply(lookout, { targetNamespace: "other" });
    await passMinutes(lookout, 2);
    await lookout.push("shop/web", "1.1.0");
    await passMinutes(lookout, 5);

    expect(tagOf(lookout, key)).toBe("1.0.0");
    expect(conditions(lookout)[0]).toBe("Ready=False OtherNamespace");
  });
});

describe("the conditions of an ImagePolicy", () => {
  it("are those of the new generation only when the workload was evaluated with it", async () => {
    const lookout = await started("1.0.0", "2.0.0");
    const key = deploy(lookout);
    apply(lookout, { pattern: "1\\..*" });
    await passMinutes(lookout, 3);
    expect(conditions(lookout)[1]).toBe("UpToDate=True UpToDate");

    apply(lookout);
    await lookout.sync();
    expect(objectOf(lookout)?.status).toMatchObject({ observedGeneration: 1 });
    await passMinutes(lookout, 3);
    expect(tagOf(lookout, key)).toBe("2.0.0");
    expect(objectOf(lookout)?.status).toMatchObject({ observedGeneration: 2, lastAppliedTag: "2.0.0" });
  });

  it.each([
    ["lookout.dev/container.app.policy", "pinned"],
    ["lookout.dev/container.app.semver-range", ">=1"],
    ["lookout.dev/containers", '{"app":{"enabled":false}}'],
    ["lookout.dev/containers", "no JSON"],
    ["lookout.dev/policy", "pinned"],
    ["lookout.dev/policy", "service-image"],
    ["lookout.dev/exclude-tags", "*-debug"],
    ["image-updater.eznix86.github.io/enabled", "true"],
  ])("say that the annotation %s: %s of a person decides, and nothing is updated", async (annotation, value) => {
    const lookout = await started("1.0.0", "1.1.0");
    const key = deploy(lookout, { annotations: { [annotation]: value } });
    apply(lookout);
    await passMinutes(lookout, 3);

    expect(tagOf(lookout, key)).toBe("1.0.0");
    expect(conditions(lookout)).toEqual(["Ready=False TargetHasAnnotations", "UpToDate=False TargetHasAnnotations"]);
    expect(messages(lookout)[0]).toBe(`Deployment web has ${annotation} itself: remove the annotation, or this policy`);
  });

  it("follow the removal of the annotation, and the update comes", async () => {
    const lookout = await started("1.0.0", "1.1.0");
    const key = deploy(lookout);
    annotate(excluding)(lookout);
    apply(lookout);
    await passMinutes(lookout, 3);
    lookout.cluster.annotate(
      { namespace: "shop", kind: "Deployment", name: "web" },
      { "lookout.dev/container.app.exclude-tags": undefined },
    );
    await passMinutes(lookout, 4);

    expect(tagOf(lookout, key)).toBe("1.1.0");
    expect(conditions(lookout)).toEqual(["Ready=True Applies", "UpToDate=True UpToDate"]);
  });

  it("name the other policy whose wrong field closes the target, also before its evaluation", async () => {
    const lookout = await started("1.0.0");
    const key = deploy(lookout);
    apply(lookout);
    await passMinutes(lookout, 3);
    const told = async (among = ["web", "other"]) => {
      const all = await lookout.ports.definitions.list("prod");
      const definitions = all.filter(({ name }) => among.includes(name));
      const [object, own] = [objectOf(lookout), definitions.find(({ name }) => name === "web")];
      if (object === undefined || own === undefined) throw new Error("no policy");
      const target = { record: await lookout.record(key), definitions };
      return policyStatus({ ...object, status: {} }, own, target, lookout.clock.now());
    };
    const condition = (type: string, rest: object) => expect.objectContaining({ type, ...rest }) as object;
    const ready = condition("Ready", { status: "True" });
    const upToDate = { conditions: [ready, condition("UpToDate", { status: "True" })] };
    const message = /^ImagePolicy other: spec\.tagPolicy\.pattern "\[": /;
    const held = {
      ...{ status: "False", reason: "ProblemInSettings" },
      message: expect.stringMatching(message) as string,
    };
    expect(await told()).toMatchObject(upToDate);

    apply(lookout, { name: "other", pattern: "[" });
    await lookout.sync();
    expect(await told()).toMatchObject({ conditions: [ready, condition("UpToDate", held)] });
    await passMinutes(lookout, 2);
    expect(await told()).toMatchObject({ conditions: [ready, condition("UpToDate", held)] });

    expect(await told(["web"])).toBeUndefined();
    lookout.cluster.definitionObjects.remove("ImagePolicy", { namespace: "shop", name: "other" });
    await passMinutes(lookout, 2);
    expect(await told()).toMatchObject(upToDate);
  });

  it("follow the target within a sync, though a quiet policy costs one read in ten minutes", async () => {
    const lookout = await started("1.0.0");
    apply(lookout);
    await passMinutes(lookout, 2);
    expect(conditions(lookout)[0]).toBe("Ready=False TargetNotFound");
    const reads = countReads(lookout);
    await passMinutes(lookout, 10);
    expect(reads.count).toBe(1);

    deploy(lookout, { app: `${host}/shop/other:1.0.0` });
    await lookout.sync();
    expect(conditions(lookout)[0]).toBe("Ready=False NoContainer");
    deploy(lookout);
    await passMinutes(lookout, 2);
    expect(conditions(lookout)[0]).toBe("Ready=True Applies");
  });
});

import { describe, expect, it } from "vitest";
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
async function rollingOut(lookout: World): Promise<string> {
  const key = deploy(lookout);
  apply(lookout);
  await passMinutes(lookout, 2);
  await lookout.push("shop/web", "1.1.0", { pulled: { afterMs: 3_600_000, because: "denial" } });
  for (let times = 0; times < 120 && tagOf(lookout, key) !== "1.1.0"; times += 1) await lookout.pass(seconds(0.5));
  expect(tagOf(lookout, key)).toBe("1.1.0");
  return key;
}

const changes: readonly {
  readonly how: string;
  readonly change: (lookout: World) => void;
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
];

describe("the target of an ImagePolicy that changes during a rollout", () => {
  it.each(changes)("is judged and rolled back when the policy $how", async ({ change, tracked, runs = "1.0.0" }) => {
    const lookout = await started("1.0.0");
    const key = await rollingOut(lookout);
    change(lookout);
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

  it("say which annotation of a person decides about the container", async () => {
    const lookout = await started("1.0.0", "1.1.0");
    const key = deploy(lookout, { annotations: { "lookout.dev/container.app.policy": "pinned" } });
    apply(lookout);
    await passMinutes(lookout, 3);

    expect(tagOf(lookout, key)).toBe("1.0.0");
    expect(conditions(lookout)).toEqual(["Ready=False TargetHasAnnotations", "UpToDate=False TargetHasAnnotations"]);
    expect(messages(lookout)[0]).toBe(
      "Deployment web has lookout.dev/container.app.policy itself: remove the annotation, or this policy",
    );
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

import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { patchNumber } from "./bed/fake-kubelet.ts";
import { until } from "./bed/until.ts";
import { cronJobManifest, daemonSetManifest, deploymentManifest, statefulSetManifest } from "./bed/workloads.ts";
import { timesOf } from "./lookout.ts";
import { setStage, type Stage } from "./stage.ts";

let stage: Stage;
const report: string[] = [];

beforeAll(async () => {
  stage = await setStage();
});

afterAll(async () => {
  console.log(["", "Times on the real parts:", ...report.map((line) => `  ${line}`), ""].join("\n"));
  await stage.stop();
});

async function generationOf(kind: string, name: string): Promise<number> {
  return Number(await stage.plane.kubectl("get", kind, name, "-o", "jsonpath={.metadata.generation}"));
}

async function toRunning(what: string, workload: string, seq = 1): Promise<void> {
  const patched = await stage.lookout.fact("RolloutStarted", workload, seq);
  const running = await stage.lookout.fact("WorkloadRunning", workload, seq);
  await stage.lookout.fact("RolloutSucceeded", workload, seq);
  report.push(`${what.padEnd(46)} ${timesOf(running, patched)}`);
}

describe("an image push", () => {
  it("reaches running pods, pinned, with one change of the object", async () => {
    const workload = await stage.tracked("api", { "lookout.dev/semver-range": ">=1 <2" });
    const before = await generationOf("deployment", "api");

    const digest = await stage.registry.push("shop/api:1.1.0", { seed: "api 1.1.0" });
    await toRunning("Deployment, semver", workload);

    expect(await stage.imageOf("deployment", "api")).toBe(`${stage.registry.host}/shop/api:1.1.0@${digest}`);
    expect(await generationOf("deployment", "api")).toBe(before + 1);
    const pods = await stage.plane.kubectl(
      "get",
      "pods",
      "-l",
      "app=api",
      "-o",
      "jsonpath={.items[*].spec.containers[0].image}",
    );
    expect(pods.split(" ")).toEqual(Array.from({ length: 3 }, () => `${stage.registry.host}/shop/api:1.1.0@${digest}`));
  });

  it("of an index is pinned to the index", async () => {
    const workload = await stage.tracked("many");

    const digest = await stage.registry.pushIndex("shop/many:1.1.0", {
      seed: "many",
      platforms: ["linux/amd64", "linux/arm64"],
    });
    await toRunning("Deployment, image index", workload);

    expect(await stage.imageOf("deployment", "many")).toBe(`${stage.registry.host}/shop/many:1.1.0@${digest}`);
  });

  it("replaces another push from ten milliseconds before", async () => {
    const workload = await stage.tracked("twice");
    await stage.registry.push("shop/twice:0.0.1", { seed: "twice 1.1.0" });
    await stage.registry.push("shop/twice:0.0.2", { seed: "twice 1.2.0" });

    await Promise.all([
      stage.registry.tag("shop/twice:0.0.1", "1.1.0"),
      sleep(10).then(() => stage.registry.tag("shop/twice:0.0.2", "1.2.0")),
    ]);
    await until("twice is updated to 1.2.0", async () => {
      const newest = stage.lookout.of(workload).findLast(({ seq }) => seq > 0);
      const runs = (await stage.imageOf("deployment", "twice")).includes(":1.2.0@");
      return newest?.name === "RolloutSucceeded" && runs ? true : undefined;
    });

    expect((await stage.lookout.run("status", workload, "--output", "name")).code).toBe(0);
  });
});

describe("a moved tag", () => {
  it("is pinned again under the digest policy", async () => {
    const workload = await stage.tracked("moved", { "lookout.dev/policy": "digest" });

    const digest = await stage.registry.push("shop/moved:1.0.0", { seed: "moved again" });
    await toRunning("Deployment, digest", workload);

    expect(await stage.imageOf("deployment", "moved")).toBe(`${stage.registry.host}/shop/moved:1.0.0@${digest}`);
  });

  it("only restarts the pods with lookout.dev/apply: restart", async () => {
    const workload = await stage.tracked("again", { "lookout.dev/policy": "digest", "lookout.dev/apply": "restart" });

    await stage.registry.push("shop/again:1.0.0", { seed: "again again" });
    await toRunning("Deployment, restart", workload);

    expect(await stage.imageOf("deployment", "again")).toBe(`${stage.registry.host}/shop/again:1.0.0`);
    const template = await stage.plane.kubectl(
      "get",
      "deployment",
      "again",
      "-o",
      "jsonpath={.spec.template.metadata.annotations}",
    );
    expect(Object.keys(JSON.parse(template) as object)).toEqual(["kubectl.kubernetes.io/restartedAt"]);
  });
});

describe("an image that does not run", () => {
  it.each([
    { because: "it can't be pulled", name: "unpullable", patch: patchNumber.broken, cause: "ImagePullBackOff" },
    { because: "it crashes", name: "looping", patch: patchNumber.crash, cause: "CrashLoopBackOff" },
  ])(
    "is rolled back to the exact previous reference, and not tried again: $because",
    async ({ name, patch, cause }) => {
      const workload = await stage.tracked(name);
      const started = Date.now();

      await stage.registry.push(`shop/${name}:1.0.${patch}`, { seed: `${name} broken` });
      const failed = await stage.lookout.fact("RolloutFailed", workload);
      await stage.lookout.fact("RolledBack", workload);
      report.push(`${`rolled back: ${cause}`.padEnd(46)} ${Date.now() - started} ms from push to rolled back`);
      await stage.registry.push(`shop/${name}:0.9.0`, { seed: `${name} older` });
      const { out } = await stage.lookout.run("explain", `default/${name}`);

      expect(failed.reasons[0]?.detail).toContain(cause);
      expect(await stage.imageOf("deployment", name)).toBe(`${stage.registry.host}/shop/${name}:1.0.0`);
      await stage.plane.kubectl("rollout", "status", `deployment/${name}`, "--timeout=60s");
      expect(stage.lookout.of(workload).filter((fact) => fact.selected === true)).toHaveLength(1);
      expect(out).toContain(`1.0.${patch}`);
    },
  );
});

describe("a user's rollback", () => {
  it("is respected, and holds later updates", async () => {
    const workload = await stage.tracked("undone");
    await stage.registry.push("shop/undone:1.1.0", { seed: "undone 1.1.0" });
    await stage.lookout.fact("RolloutSucceeded", workload);

    await stage.plane.kubectl("rollout", "undo", "deployment/undone");
    const taken = await stage.lookout.fact("RevertedByUser", workload);
    await stage.registry.push("shop/undone:1.2.0", { seed: "undone 1.2.0" });
    await until("the next push is held", async () =>
      stage.lookout.of(workload).find(({ name, seq }) => name === "UpdateHeld" && seq > 1),
    );

    expect(taken.detail).toContain("by kubectl");
    expect(await stage.imageOf("deployment", "undone")).toBe(`${stage.registry.host}/shop/undone:1.0.0`);
    const status = await stage.lookout.run("status", "default/undone");
    expect(status.out).toContain("held");
    await stage.lookout.run("unblock", "test/default/deployment/undone");
    await until("the unblocked update runs", async () =>
      (await stage.imageOf("deployment", "undone")).includes(":1.2.0@") ? true : undefined,
    );
  });
});

describe("a workload of another kind", () => {
  it("StatefulSet: rolls out, and a broken image is rolled back by deleting its pod", async () => {
    const workload = await stage.tracked("ledger", {}, (name, image) => statefulSetManifest(name, image, 2));
    await stage.registry.push("shop/ledger:1.1.0", { seed: "ledger 1.1.0" });
    await toRunning("StatefulSet", workload);

    await stage.registry.push(`shop/ledger:1.1.${patchNumber.broken}`, { seed: "ledger broken" });
    await stage.lookout.fact("RolledBack", workload, 2, 90_000);

    expect(await stage.imageOf("statefulset", "ledger")).toContain("/shop/ledger:1.1.0@");
    await stage.plane.kubectl("rollout", "status", "statefulset/ledger", "--timeout=60s");
  });

  it("DaemonSet: rolls out", async () => {
    const workload = await stage.tracked("agent", {}, daemonSetManifest);

    const digest = await stage.registry.push("shop/agent:1.1.0", { seed: "agent 1.1.0" });
    await toRunning("DaemonSet", workload);

    expect(await stage.imageOf("daemonset", "agent")).toBe(`${stage.registry.host}/shop/agent:1.1.0@${digest}`);
  });

  it("CronJob: is patched, and verified by its next Job", async () => {
    const workload = await stage.tracked("report", {}, cronJobManifest);

    const digest = await stage.registry.push("shop/report:1.1.0", { seed: "report 1.1.0" });
    await stage.lookout.fact("RolloutStarted", workload);
    const { code, out } = await stage.lookout.run("status", "default/report");
    await scheduleSoon("report");
    await stage.lookout.fact("RolloutSucceeded", workload, 1, 150_000);

    expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining("report") as string });
    expect(await stage.imageOf("cronjob", "report")).toBe(`${stage.registry.host}/shop/report:1.1.0@${digest}`);
  });
});

/** Changes a CronJob's schedule, so that its next Job starts within a minute. */
async function scheduleSoon(name: string): Promise<void> {
  await stage.plane.kubectl("patch", "cronjob", name, "--type=merge", "-p", '{"spec":{"schedule":"* * * * *"}}');
}

describe("workloads with problems", () => {
  it("are held with their reasons, and do not delay a valid workload", async () => {
    const image = `${stage.registry.host}/shop/good`;
    const problems = {
      range: { "lookout.dev/semver-range": ">>1" },
      window: { "lookout.dev/maintenance-window": "8am-5pm" },
      misspelt: { "lookout.dev/polcy": "semver" },
      gate: { "lookout.dev/signed-by": "release@example.com" },
    };
    const good = await stage.tracked("good");
    for (const [name, annotations] of Object.entries(problems)) {
      const manifest = deploymentManifest(`bad-${name}`, `${image}:1.0.0`, 1);
      await stage.plane.apply([
        {
          ...manifest,
          metadata: { ...manifest.metadata, annotations: { "lookout.dev/enabled": "true", ...annotations } },
        },
      ]);
      await stage.lookout.fact("WorkloadTracked", `default/bad-${name}`);
    }

    await stage.registry.push("shop/good:1.1.0", { seed: "good 1.1.0" });
    await toRunning("Deployment beside four with problems", good);

    const { out } = await stage.lookout.run("status", "--output", "json");
    const { workloads } = JSON.parse(out) as {
      workloads: { workload: string; state: string; problems: { key: string }[] }[];
    };
    const closed = workloads.filter(({ workload }) => workload.includes("/bad-"));
    expect(closed.map(({ state, problems: [first] }) => [state, first?.key]).sort()).toEqual([
      ["problem", "lookout.dev/maintenance-window"],
      ["problem", "lookout.dev/polcy"],
      ["problem", "lookout.dev/semver-range"],
      ["problem", "lookout.dev/signed-by"],
    ]);
    for (const name of Object.keys(problems))
      expect(await stage.imageOf("deployment", `bad-${name}`)).toBe(`${image}:1.0.0`);
  });
});

describe("containers that belong together", () => {
  it("get the tag that both repositories have, in one change of the object", async () => {
    await stage.registry.push("shop/migrate:1.0.0", { seed: "migrate 1.0.0" });
    const init = { name: "migrate", image: `${stage.registry.host}/shop/migrate:1.0.0` };
    const settings = { "lookout.dev/together": "true", "lookout.dev/initContainer.migrate.enabled": "true" };
    const workload = await stage.tracked("web", settings, (name, image) => ({
      ...deploymentManifest(name, image),
      spec: {
        replicas: 3,
        selector: { matchLabels: { app: name } },
        template: {
          metadata: { labels: { app: name } },
          spec: { initContainers: [init], containers: [{ name: "app", image }] },
        },
      },
    }));
    const before = await generationOf("deployment", "web");

    const migrate = await stage.registry.push("shop/migrate:1.1.0", { seed: "migrate 1.1.0" });
    await until("the tag waits for the other repository", async () =>
      (await stage.lookout.run("status")).out.includes("1.1.0 is not a tag of every container yet"),
    );
    const web = await stage.registry.push("shop/web:1.1.0", { seed: "web 1.1.0" });
    await toRunning("Deployment, two containers together", workload);

    const images = "jsonpath={.spec.template.spec.initContainers[0].image} {.spec.template.spec.containers[0].image}";
    expect(await stage.plane.kubectl("get", "deployment", "web", "-o", images)).toBe(
      `${stage.registry.host}/shop/migrate:1.1.0@${migrate} ${stage.registry.host}/shop/web:1.1.0@${web}`,
    );
    expect(await generationOf("deployment", "web")).toBe(before + 1);
  });
});

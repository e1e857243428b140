import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ControlPlane, startControlPlane } from "./bed/control-plane.ts";
import { patchNumber } from "./bed/fake-kubelet.ts";
import { freePorts } from "./bed/ports.ts";
import { type Registry, startRegistry } from "./bed/registry.ts";
import { until } from "./bed/until.ts";
import {
  cronJobManifest,
  daemonSetManifest,
  deploymentManifest,
  statefulSetManifest,
  type WorkloadManifest,
} from "./bed/workloads.ts";
import { type Lookout, startLookout, timesOf } from "./lookout.ts";

let plane: ControlPlane;
let registry: Registry;
let lookout: Lookout;
let start: (dataDir?: string) => Promise<Lookout>;
const report: string[] = [];

beforeAll(async () => {
  const [port = 0] = await freePorts(1);
  const secret = "s3cret-of-the-receiver";
  const notify = {
    url: `http://127.0.0.1:${port}/webhooks/registry`,
    headers: { Authorization: `Bearer ${secret}` },
  };
  [plane, registry] = await Promise.all([startControlPlane(), startRegistry({ notify })]);
  const { kubeconfig } = plane;
  start = (dataDir) => startLookout({ kubeconfig, port, secret, ...(dataDir === undefined ? {} : { dataDir }) });
  lookout = await start();
});

afterAll(async () => {
  console.log(["", "Times on the real parts:", ...report.map((line) => `  ${line}`), ""].join("\n"));
  await lookout.stop();
  await Promise.all([plane.stop(), registry.stop()]);
});

type Make = (name: string, image: string) => WorkloadManifest;

/** Pushes 1.0.0, creates a workload that runs it, and waits until Lookout tracks it. Names it `default/<name>`. */
async function tracked(
  name: string,
  annotations: Readonly<Record<string, string>> = {},
  make: Make = deploymentManifest,
): Promise<string> {
  await registry.push(`shop/${name}:1.0.0`, { seed: `${name} 1.0.0` });
  const manifest = make(name, `${registry.host}/shop/${name}:1.0.0`);
  const metadata = { ...manifest.metadata, annotations: { "lookout.dev/enabled": "true", ...annotations } };
  await plane.apply([{ ...manifest, metadata }]);
  if (manifest.kind !== "CronJob")
    await plane.kubectl("rollout", "status", `${manifest.kind}/${name}`, "--timeout=60s");
  await lookout.fact("WorkloadTracked", `default/${name}`);
  return `default/${name}`;
}

async function imageOf(kind: string, name: string): Promise<string> {
  const template = kind === "cronjob" ? "spec.jobTemplate.spec.template" : "spec.template";
  return plane.kubectl("get", kind, name, "-o", `jsonpath={.${template}.spec.containers[0].image}`);
}

async function generationOf(kind: string, name: string): Promise<number> {
  return Number(await plane.kubectl("get", kind, name, "-o", "jsonpath={.metadata.generation}"));
}

async function toRunning(what: string, workload: string, seq = 1): Promise<void> {
  const patched = await lookout.fact("RolloutStarted", workload, seq);
  const running = await lookout.fact("WorkloadRunning", workload, seq);
  await lookout.fact("RolloutSucceeded", workload, seq);
  report.push(`${what.padEnd(46)} ${timesOf(running, patched)}`);
}

describe("an image push", () => {
  it("reaches running pods, pinned, with one change of the object", async () => {
    const workload = await tracked("api", { "lookout.dev/semver-range": "^1" });
    const before = await generationOf("deployment", "api");

    const digest = await registry.push("shop/api:1.1.0", { seed: "api 1.1.0" });
    await toRunning("Deployment, semver", workload);

    expect(await imageOf("deployment", "api")).toBe(`${registry.host}/shop/api:1.1.0@${digest}`);
    expect(await generationOf("deployment", "api")).toBe(before + 1);
    const pods = await plane.kubectl(
      "get",
      "pods",
      "-l",
      "app=api",
      "-o",
      "jsonpath={.items[*].spec.containers[0].image}",
    );
    expect(pods.split(" ")).toEqual(Array.from({ length: 3 }, () => `${registry.host}/shop/api:1.1.0@${digest}`));
  });

  it("of an index is pinned to the index", async () => {
    const workload = await tracked("many");

    const digest = await registry.pushIndex("shop/many:1.1.0", {
      seed: "many",
      platforms: ["linux/amd64", "linux/arm64"],
    });
    await toRunning("Deployment, image index", workload);

    expect(await imageOf("deployment", "many")).toBe(`${registry.host}/shop/many:1.1.0@${digest}`);
  });

  it("that follows another within ten milliseconds is where it ends", async () => {
    const workload = await tracked("twice");
    await registry.push("shop/twice:0.0.1", { seed: "twice 1.1.0" });
    await registry.push("shop/twice:0.0.2", { seed: "twice 1.2.0" });

    await registry.tag("shop/twice:0.0.1", "1.1.0");
    await registry.tag("shop/twice:0.0.2", "1.2.0");
    await until("twice runs 1.2.0", async () =>
      lookout
        .of(workload)
        .some(({ name, seq }) => name === "RolloutSucceeded" && seq === lookout.of(workload).at(-1)?.seq) &&
      (await imageOf("deployment", "twice")).includes(":1.2.0@")
        ? true
        : undefined,
    );
  });
});

describe("a moved tag", () => {
  it("is re-pinned under the digest policy", async () => {
    const workload = await tracked("moved", { "lookout.dev/policy": "digest" });

    const digest = await registry.push("shop/moved:1.0.0", { seed: "moved again" });
    await toRunning("Deployment, digest", workload);

    expect(await imageOf("deployment", "moved")).toBe(`${registry.host}/shop/moved:1.0.0@${digest}`);
  });

  it("restarts the pods, and changes nothing else, where the workload asks for that", async () => {
    const workload = await tracked("again", { "lookout.dev/policy": "digest", "lookout.dev/apply": "restart" });

    await registry.push("shop/again:1.0.0", { seed: "again again" });
    await toRunning("Deployment, restart", workload);

    expect(await imageOf("deployment", "again")).toBe(`${registry.host}/shop/again:1.0.0`);
    const template = await plane.kubectl(
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
    "is taken back to the exact reference before it, and not tried again: $because",
    async ({ name, patch, cause }) => {
      const workload = await tracked(name);
      const started = Date.now();

      await registry.push(`shop/${name}:1.0.${patch}`, { seed: `${name} broken` });
      const failed = await lookout.fact("RolloutFailed", workload);
      await lookout.fact("RolledBack", workload);
      report.push(`${`taken back: ${cause}`.padEnd(46)} ${Date.now() - started} ms from push to rolled back`);
      await registry.push(`shop/${name}:0.9.0`, { seed: `${name} older` });
      const { out } = await lookout.run("explain", `default/${name}`);

      expect(failed.reasons[0]?.detail).toContain(cause);
      expect(await imageOf("deployment", name)).toBe(`${registry.host}/shop/${name}:1.0.0`);
      await plane.kubectl("rollout", "status", `deployment/${name}`, "--timeout=60s");
      expect(lookout.of(workload).filter((fact) => fact.name === "UpdateProposed")).toHaveLength(1);
      expect(out).toContain(`1.0.${patch}`);
    },
  );
});

describe("a person's undo", () => {
  it("is respected, and holds the updates that follow", async () => {
    const workload = await tracked("undone");
    await registry.push("shop/undone:1.1.0", { seed: "undone 1.1.0" });
    await lookout.fact("RolloutSucceeded", workload);

    await plane.kubectl("rollout", "undo", "deployment/undone");
    const taken = await lookout.fact("UpdateTakenBack", workload);
    await registry.push("shop/undone:1.2.0", { seed: "undone 1.2.0" });
    await until("the next push is held", async () =>
      lookout.of(workload).find(({ name, seq }) => name === "UpdateHeld" && seq > 1),
    );

    expect(taken.detail).toContain("by kubectl");
    expect(await imageOf("deployment", "undone")).toBe(`${registry.host}/shop/undone:1.0.0`);
    const status = await lookout.run("status", "default/undone");
    expect(status.out).toContain("held");
    await lookout.run("lift", "test/default/deployment/undone");
    await until("the lifted update runs", async () =>
      (await imageOf("deployment", "undone")).includes(":1.2.0@") ? true : undefined,
    );
  });
});

describe("a workload of another kind", () => {
  it("StatefulSet: rolls out, and a broken image is taken back by freeing its pod", async () => {
    const workload = await tracked("ledger", {}, (name, image) => statefulSetManifest(name, image, 2));
    await registry.push("shop/ledger:1.1.0", { seed: "ledger 1.1.0" });
    await toRunning("StatefulSet", workload);

    await registry.push(`shop/ledger:1.1.${patchNumber.broken}`, { seed: "ledger broken" });
    await lookout.fact("RolledBack", workload, 2, 90_000);

    expect(await imageOf("statefulset", "ledger")).toContain("/shop/ledger:1.1.0@");
    await plane.kubectl("rollout", "status", "statefulset/ledger", "--timeout=60s");
  });

  it("DaemonSet: rolls out", async () => {
    const workload = await tracked("agent", {}, daemonSetManifest);

    const digest = await registry.push("shop/agent:1.1.0", { seed: "agent 1.1.0" });
    await toRunning("DaemonSet", workload);

    expect(await imageOf("daemonset", "agent")).toBe(`${registry.host}/shop/agent:1.1.0@${digest}`);
  });

  it("CronJob: is patched, and verified by its next Job", async () => {
    const workload = await tracked("report", {}, cronJobManifest);

    const digest = await registry.push("shop/report:1.1.0", { seed: "report 1.1.0" });
    await lookout.fact("RolloutStarted", workload);
    const { code, out } = await lookout.run("status", "default/report");
    await scheduleSoon("report");
    await lookout.fact("RolloutSucceeded", workload, 1, 150_000);

    expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining("report") as string });
    expect(await imageOf("cronjob", "report")).toBe(`${registry.host}/shop/report:1.1.0@${digest}`);
  });
});

/** Lets a CronJob make its next Job within a minute. */
async function scheduleSoon(name: string): Promise<void> {
  await plane.kubectl("patch", "cronjob", name, "--type=merge", "-p", '{"spec":{"schedule":"* * * * *"}}');
}

describe("a process that is killed", () => {
  it("goes on after its restart with the update that it had in its hands", async () => {
    const workload = await tracked("slow");
    const digest = await registry.push(`shop/slow:1.0.${patchNumber.slow}`, { seed: "slow pods" });
    await lookout.fact("RolloutStarted", workload);

    await lookout.stop("SIGKILL");
    lookout = await start(lookout.dataDir);
    await lookout.fact("RolloutSucceeded", workload);

    expect(await imageOf("deployment", "slow")).toBe(`${registry.host}/shop/slow:1.0.${patchNumber.slow}@${digest}`);
  });

  it("finds the push that came while it was away", async () => {
    const workload = await tracked("missed");
    await lookout.stop("SIGKILL");
    const digest = await registry.push("shop/missed:1.1.0", { seed: "missed 1.1.0" });

    lookout = await start(lookout.dataDir);
    await lookout.fact("RolloutSucceeded", workload);

    expect(await imageOf("deployment", "missed")).toBe(`${registry.host}/shop/missed:1.1.0@${digest}`);
  });
});

describe("an API server that is away", () => {
  it("holds what was pushed meanwhile, says so, and gets it when it is back", async () => {
    const workload = await tracked("away");

    await plane.stopApiServer();
    await registry.push("shop/away:1.1.0", { seed: "away 1.1.0" });
    const held = await lookout.fact("UpdateHeld", workload);
    const { out } = await lookout.run("status");
    await plane.startApiServer();
    await lookout.fact("RolloutSucceeded", workload, 1, 120_000);

    expect(held.reasons.map(({ reason }) => reason)).toEqual(["cluster-unreachable"]);
    expect(out).toContain("can't be reached");
  });
});

describe("workloads with problems", () => {
  it("are closed and named, and a good one beside them is updated", async () => {
    const image = `${registry.host}/shop/good`;
    const problems = {
      range: { "lookout.dev/semver-range": ">>1" },
      window: { "lookout.dev/maintenance-window": "8am-5pm" },
      misspelt: { "lookout.dev/polcy": "semver" },
      gate: { "lookout.dev/approval-required": "true" },
    };
    const good = await tracked("good");
    for (const [name, annotations] of Object.entries(problems)) {
      const manifest = deploymentManifest(`bad-${name}`, `${image}:1.0.0`, 1);
      await plane.apply([
        {
          ...manifest,
          metadata: { ...manifest.metadata, annotations: { "lookout.dev/enabled": "true", ...annotations } },
        },
      ]);
      await lookout.fact("WorkloadTracked", `default/bad-${name}`);
    }

    await registry.push("shop/good:1.1.0", { seed: "good 1.1.0" });
    await toRunning("Deployment beside four with problems", good);

    const { out } = await lookout.run("status", "--output", "json");
    const { workloads } = JSON.parse(out) as {
      workloads: { workload: string; state: string; problems: { key: string }[] }[];
    };
    const closed = workloads.filter(({ workload }) => workload.includes("/bad-"));
    expect(closed.map(({ state, problems: [first] }) => [state, first?.key]).sort()).toEqual([
      ["problem", "lookout.dev/approval-required"],
      ["problem", "lookout.dev/maintenance-window"],
      ["problem", "lookout.dev/polcy"],
      ["problem", "lookout.dev/semver-range"],
    ]);
    for (const name of Object.keys(problems)) expect(await imageOf("deployment", `bad-${name}`)).toBe(`${image}:1.0.0`);
  });
});

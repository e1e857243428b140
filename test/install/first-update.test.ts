import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { stringify } from "yaml";
import packageDescription from "../../package.json" with { type: "json" };
import { type ControlPlane, startControlPlane } from "#test/cluster/bed/control-plane";
import { programPath } from "#test/cluster/bed/programs";
import { type Registry, startRegistry } from "#test/cluster/bed/registry";
import { until } from "#test/cluster/bed/until";
import { deploymentManifest } from "#test/cluster/bed/workloads";
import { blocksOf, page } from "#test/docs/markdown";
import { release } from "./release.ts";
import { node, type Stranger, stranger } from "./stranger.ts";

const file = `lookout-dev-lookout-${packageDescription.version}.tgz`;
const releaseAll = "lookout release --past observe --all";
/** The four commands of the README, from an empty folder to the first observed update. */
const commands =
  blocksOf(page("README.md"))
    .map(({ text }) => text.trim().split("\n"))
    .find((lines) => lines.at(-1) === "lookout start --observe") ?? [];

let plane: ControlPlane;
let registry: Registry;
let user: Stranger;

beforeAll(async () => {
  [plane, registry] = await Promise.all([startControlPlane(), startRegistry()]);
  for (const version of ["1.4.0", "1.4.2"]) await registry.push(`shop/api:${version}`, { seed: version });
  await plane.apply([deploymentManifest("api", `${registry.host}/shop/api:1.4.0`)]);
  user = await stranger([node, programPath("kubectl")], { npm_config_update_notifier: "false" });
  const kubeconfig = JSON.parse(await readFile(plane.kubeconfig, "utf8")) as { contexts: { name: string }[] };
  const contexts = kubeconfig.contexts.map((one) => ({ ...one, name: "test" }));
  await user.writes(".kube-config", JSON.stringify({ ...kubeconfig, contexts, "current-context": "test" }));
  // A registry without TLS on this machine needs a permission. A registry of a reader has TLS.
  const rule = { host: registry.host, insecure: true, allowPrivateNetwork: true };
  await user.writes("lookout.yaml", stringify({ listen: "127.0.0.1:0", registries: [rule] }));
});

afterAll(async () => {
  await Promise.all([plane.stop(), registry.stop(), user.leave()]);
});

/** Runs a command of the README as the user, with the packed package instead of the published one. */
function shellOf(command: string): readonly string[] {
  const typed = command.replace("@lookout-dev/lookout", `./${file}`).replace(/^(lookout cluster add .*)$/, "$1 --yes");
  const variables = [
    `KUBECONFIG=${user.home}/.kube-config`,
    `npm_config_prefix=${user.home}/global`,
    `PATH=${user.home}/global/bin:${user.home}/bin:/usr/bin:/bin`,
  ];
  return ["env", ...variables, "sh", "-c", `exec ${typed}`];
}

const run = (command: string) => {
  const [program = "", ...rest] = shellOf(command);
  return user.run(program, ...rest);
};

const runningImage = () =>
  plane.kubectl("get", "deployment", "api", "-o", "jsonpath={.spec.template.spec.containers[0].image}");

it("the four commands of the README lead from an empty folder to the first observed update", async () => {
  await user.gets(join(release, file), file);
  const [start = "", ...prepare] = commands.toReversed();
  expect(commands).toHaveLength(4);
  for (const command of prepare.toReversed()) {
    const { code, stderr, stdout } = await run(command);
    expect({ command, code, stderr, stdout }).toMatchObject({ command, code: 0 });
  }
  const [program = "", ...rest] = shellOf(start);
  const lookout = user.start(program, ...rest);
  try {
    const shown = await until(
      "the status shows the update",
      async () => {
        const { stdout } = await run("lookout status");
        return stdout.includes("(observe)") ? stdout : undefined;
      },
      { timeoutMs: 60_000, intervalMs: 1_000 },
    );

    expect(shown).toMatch(/would update 1[.]4[.]0 → 1[.]4[.]2 \(observe\)/);
    expect(await runningImage()).toBe(`${registry.host}/shop/api:1.4.0`);
  } finally {
    lookout.kill("SIGTERM");
    await new Promise((resolve) => lookout.once("close", resolve));
  }
});

it("without --observe, the released update runs", async () => {
  const [program = "", ...rest] = shellOf("lookout start");
  const lookout = user.start(program, ...rest);
  try {
    await until("the process answers", async () => ((await run("lookout status")).code === 0 ? true : undefined), {
      timeoutMs: 30_000,
      intervalMs: 500,
    });
    expect(await runningImage()).toBe(`${registry.host}/shop/api:1.4.0`);
    const { code, stdout, stderr } = await run(releaseAll);
    expect({ code, stdout, stderr }).toMatchObject({ code: 0 });
    await until("the new image runs", async () => ((await runningImage()).includes(":1.4.2@") ? true : undefined), {
      timeoutMs: 30_000,
    });
  } finally {
    lookout.kill("SIGTERM");
    await new Promise((resolve) => lookout.once("close", resolve));
  }
});

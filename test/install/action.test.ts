import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import packageDescription from "../../package.json" with { type: "json" };
import { release } from "./release.ts";
import { type Ended, node, type Stranger, stranger } from "./stranger.ts";

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly runs: {
    readonly steps: readonly {
      readonly uses?: string;
      readonly if?: string;
      readonly env?: Readonly<Record<string, string>>;
      readonly run?: string;
    }[];
  };
}

const file = `lookout-dev-lookout-${packageDescription.version}.tgz`;
let action: Action;
let user: Stranger;

beforeAll(async () => {
  action = parse(await readFile(join(import.meta.dirname, "../../action.yml"), "utf8")) as Action;
  const home = { npm_config_prefix: "global", npm_config_update_notifier: "false" };
  user = await stranger([node], home);
  await user.gets(join(release, file), file);
});

afterAll(() => user.leave());

/** Runs the steps of the action as a runner does. `actions/setup-node` has run: the user has Node 24. */
async function runAction(given: Readonly<Record<string, string>>): Promise<Ended | undefined> {
  const inputs = {
    ...Object.fromEntries(Object.entries(action.inputs).map(([name, one]) => [name, one.default])),
    ...given,
  };
  let last: Ended | undefined;
  for (const { run, env = {}, if: condition } of action.runs.steps) {
    const [, needed] = /^\$\{\{ inputs[.](\w+) != '' \}\}$/.exec(condition ?? "") ?? [];
    if (run === undefined || (needed !== undefined && inputs[needed] === "")) continue;
    const variables = Object.entries(env).map(([name, value]) => {
      const [, input = ""] = /^\$\{\{ inputs[.](\w+) \}\}$/.exec(value) ?? [];
      expect(Object.keys(inputs)).toContain(input);
      return `${name}=${inputs[input] ?? ""}`;
    });
    const path = `PATH=${user.home}/global/bin:${user.home}/bin:/usr/bin:/bin`;
    variables.push(`GITHUB_OUTPUT=${user.home}/outputs`);
    last = await user.run("env", path, ...variables, "bash", "-e", "-o", "pipefail", "-c", run);
    expect({ run, ...last }).toMatchObject({ run, code: 0 });
  }
  return last;
}

describe("the action in a workflow", () => {
  it("installs the version of this project", () => {
    expect(action.inputs["package"]?.default).toBe(`@lookout-dev/lookout@${packageDescription.version}`);
  });

  it("installs the command, reports the pushed image with a personal token, and waits until it runs", async () => {
    await runAction({ package: `./${file}` });
    const server = user.start("global/bin/lookout", "start", "--listen", "127.0.0.1:0", "--output", "json");
    try {
      const url = await new Promise<string>((resolve) => {
        server.stdout?.setEncoding("utf8").on("data", (text: string) => {
          const [, found] = /(http:\/\/127[.]0[.]0[.]1:\d+)/.exec(text) ?? [];
          if (found !== undefined) resolve(found);
        });
      });
      const made = await user.run(
        "global/bin/lookout",
        "token",
        "create",
        "ci",
        "--role",
        "operator",
        "--output",
        "json",
      );
      const { token } = JSON.parse(made.stdout) as { readonly token: string };
      const reported = await runAction({ package: `./${file}`, image: "shop/api:1.3.0", server: url, token });

      expect(reported?.stdout).toContain("pushed registry.demo/shop/api:1.3.0");

      const image = { package: `./${file}`, image: "shop/api:1.4.0", server: url, token };
      await runAction({ ...image, workload: "shop/api", timeout: "1m" });
      expect(await readFile(join(user.home, "outputs"), "utf8")).toMatch(
        /^result=succeeded\ndigest=sha256:[0-9a-f]{64}\n$/,
      );
    } finally {
      server.kill("SIGTERM");
      await new Promise((resolve) => server.once("close", resolve));
    }
  });
});

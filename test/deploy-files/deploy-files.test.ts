import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lookoutVersion } from "#contracts/version";
import { project } from "#test/docs/markdown";
import {
  chartDefinitionsFile,
  chartDefinitionsText,
  chartRightsFile,
  chartRightsText,
} from "../../tools/chart-rights.ts";

const command = join(project, "bin/lookout.js");
const analyze = "/usr/bin/systemd-analyze";

let folder: string;
let unit: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "lookout-unit-"));
  unit = await readFile(join(project, "deploy/lookout.service"), "utf8");
});

afterAll(() => rm(folder, { recursive: true }));

interface Ended {
  readonly code: number;
  readonly out: string;
}

function run(program: string, words: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(program, [...words], { cwd: folder }, (_, stdout, stderr) => {
      resolve({ code: child.exitCode ?? -1, out: stdout + stderr });
    });
  });
}

describe("deploy/lookout.service", () => {
  it("starts a command with flags that exist, and names a missing lookout.yaml", async () => {
    const [program, ...words] = /^ExecStart=(.*)$/m.exec(unit)?.[1]?.split(" ") ?? [];
    const inFolder = words.map((word) =>
      word.replace("/etc/lookout", folder).replace("${STATE_DIRECTORY}", join(folder, "state")),
    );

    expect(program).toBe("/usr/local/bin/lookout");
    expect(await run(process.execPath, [command, ...inFolder])).toEqual({
      code: 2,
      out: expect.stringContaining(join(folder, "lookout.yaml")) as string,
    });
  });

  // Machines without systemd can't check the unit.
  if (existsSync(analyze)) {
    it("has no fault that systemd finds, and little exposure", async () => {
      const file = join(folder, "lookout.service");
      await writeFile(
        file,
        unit.replaceAll("/usr/local/bin/lookout", command).replaceAll(/^(User|Group)=.*/gm, "$1=daemon"),
      );
      const secure = ["security", "--offline=true", "--no-pager", "--threshold=20", file];

      expect(await run(analyze, ["verify", "--man=no", file])).toEqual({ code: 0, out: "" });
      expect(await run(analyze, secure)).toMatchObject({ code: 0 });
    });
  }
});

describe("deploy/chart", () => {
  it("has the rights of lookout cluster manifests; otherwise: npm run generate", async () => {
    expect(await readFile(chartRightsFile, "utf8")).toBe(await chartRightsText());
    expect(await readFile(chartDefinitionsFile, "utf8")).toBe(await chartDefinitionsText());
  });
});

describe("the Dockerfile", () => {
  it("names this version", async () => {
    const text = await readFile(join(project, "Dockerfile"), "utf8");

    expect(text).toContain(`org.opencontainers.image.version="${lookoutVersion}"`);
    expect(text).toContain(`docker build --tag lookout:${lookoutVersion} .`);
  });
});

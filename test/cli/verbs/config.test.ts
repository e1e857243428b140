import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SettingsView } from "#contracts/api/process";
import { lines, lookout } from "../world.ts";

const view: SettingsView = {
  file: "lookout.yaml",
  settings: [
    { setting: "clusters[0].name", value: "prod", source: "file", place: "lookout.yaml:2:5" },
    {
      setting: "receivers[0].secret",
      value: "set from the variable REGISTRY_SECRET",
      source: "file",
      place: "lookout.yaml:6:5",
    },
    { setting: "listen", value: "127.0.0.1:0", source: "flag", place: "--listen" },
    { setting: "dataDir", value: "/var/lookout", source: "environment", place: "LOOKOUT_DATA" },
    { setting: "limits.settle", value: "10s", source: "default" },
  ],
};
const answers = { "GET /v1/configuration": { body: view } };

let cwd = "";
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), "lookout-config-"));
  writeFileSync(join(cwd, "good.yaml"), "listen: 127.0.0.1:4141\nlimits:\n  settle: 1m\n");
  writeFileSync(join(cwd, "bad.yaml"), "clusters:\n  - nam: prod\nlisten: nowhere\n");
  writeFileSync(
    join(cwd, "approvers.yaml"),
    lines(
      "people:",
      "  - name: ana",
      "    iam: arn:aws:iam::111122223333:user/ana",
      "approvers:",
      "  - {namespaces: [shop], people: [ana], needed: 2}",
      "  - {namespaces: [pay], people: [zoe]}",
    ),
  );
  writeFileSync(
    join(cwd, "doubled.yaml"),
    lines(
      "listen: nowhere",
      "clusters:",
      "  - name: prod",
      "  - {name: stage, contxt: x}",
      "  - name: prod",
      "registries:",
      "  - host: ghcr.io",
      "    aliases: [ghcr.io]",
    ),
  );
});
beforeAll(() => {
  const address = "address: https://hooks.example.com/x";
  writeFileSync(join(cwd, "wrong-key"), "whsec_canary\n");
  writeFileSync(join(cwd, "right-key"), `whsec_${Buffer.alloc(24, 7).toString("base64")}\n`);
  writeFileSync(
    join(cwd, "channels.yaml"),
    lines(
      "channels:",
      `  - { name: placeless, kind: webhook, ${address} }`,
      `  - { name: unset, kind: webhook, ${address}, secretEnv: HOOK }`,
      `  - { name: absent, kind: webhook, ${address}, secretFile: no-key }`,
      `  - { name: wrong, kind: webhook, ${address}, secretFile: wrong-key }`,
      `  - { name: right, kind: webhook, ${address}, secretFile: right-key }`,
      `  - { name: in-aws, kind: webhook, ${address}, secretId: lookout/hook }`,
    ),
  );
});
afterAll(() => {
  rmSync(cwd, { recursive: true });
});
const nobody = { environment: {} };

describe("lookout config", () => {
  it("shows each setting of the process and its source", async () => {
    expect((await lookout(["config"], answers)).stdout).toBe(
      lines(
        "SETTING               VALUE                                   FROM",
        "clusters[0].name      prod                                    lookout.yaml:2:5",
        "receivers[0].secret   set from the variable REGISTRY_SECRET   lookout.yaml:6:5",
        "listen                127.0.0.1:0                             --listen",
        "dataDir               /var/lookout                            the variable LOOKOUT_DATA",
        "limits.settle         10s                                     default",
        "",
        "Lookout at http://127.0.0.1:4040, named by LOOKOUT_SERVER",
      ),
    );
  });

  it("prints the API's JSON for programs", async () => {
    const { stdout } = await lookout(["config", "--output", "json"], answers);

    expect(JSON.parse(stdout)).toEqual(view);
  });

  it("shows the settings of a file without a request", async () => {
    const { stdout, asked } = await lookout(["config", "--config", "good.yaml"], {}, { cwd, ...nobody });

    expect(asked).toEqual([]);
    expect(stdout).toMatch(/^limits\.settle +1m +good\.yaml:3:3$/m);
    expect(stdout).toMatch(/^listen +127\.0\.0\.1:4141 +good\.yaml:1:1$/m);
    expect(stdout).toMatch(/^limits\.windowSpread +0s +default$/m);
    expect(stdout).toContain("The settings of good.yaml, without a server.\n");
  });

  it.each([
    { typed: ["config", "--config", "good.yaml", "--region", "eu-central-1"], stray: "--region" },
    { typed: ["config", "--stack", "Lookout", "--config", "good.yaml"], stray: "--stack" },
    { typed: ["config", "check", "good.yaml", "--region", "eu-central-1"], stray: "--region" },
    { typed: ["config", "check", "--config", "good.yaml"], stray: "--config" },
  ])("rejects $typed beside a file", async ({ typed, stray }) => {
    expect(await lookout(typed, {}, { cwd, ...nobody })).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: `✗ The command reads a file and needs no server: remove ${stray}.\n`,
      asked: [],
    });
  });

  it("shows the settings of a start without a process", async () => {
    const { stdout, exitCode } = await lookout(["config"], {}, { cwd, environment: { LOOKOUT_DATA: "state" } });

    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^clusters +the demo cluster +default$/m);
    expect(stdout).toMatch(/^dataDir +state +the variable LOOKOUT_DATA$/m);
    expect(stdout).toContain(
      "No Lookout runs with its state in state. lookout start in this directory uses these settings.\n",
    );
  });

  it("reports an unreachable named server", async () => {
    const refused = Object.assign(new TypeError("fetch failed"), {
      cause: Object.assign(new Error(), { code: "ECONNREFUSED" }),
    });

    expect(await lookout(["config"], { "GET /v1/configuration": refused })).toMatchObject({ exitCode: 3, stdout: "" });
  });
});

describe("lookout config check", () => {
  it("confirms a valid file", async () => {
    expect(await lookout(["config", "check", "good.yaml"], {}, { cwd, ...nobody })).toMatchObject({
      exitCode: 0,
      stdout: "✓ good.yaml is valid: 2 settings.\n",
    });
  });

  it("reports every problem with its line and column, and ends with 2", async () => {
    expect(await lookout(["config", "check", "bad.yaml"], {}, { cwd, ...nobody })).toMatchObject({
      exitCode: 2,
      stdout: "",
      stderr: lines(
        "✗ the configuration bad.yaml has 3 problems:",
        "  bad.yaml:2:5  clusters[0].name: is missing; expected a name of lower-case letters, digits and dashes",
        "  bad.yaml:2:5  clusters[0].nam: is not a known key here; did you mean name?",
        '  bad.yaml:3:1  listen "nowhere": expected "host:port", for example "127.0.0.1:4040" or "[::1]:4040"',
      ),
    });
  });

  it("reports duplicates beside other faults, in the order of the lines", async () => {
    expect(await lookout(["config", "check", "doubled.yaml"], {}, { cwd, ...nobody })).toMatchObject({
      exitCode: 2,
      stderr: lines(
        "✗ the configuration doubled.yaml has 4 problems:",
        '  doubled.yaml:1:1  listen "nowhere": expected "host:port", for example "127.0.0.1:4040" or "[::1]:4040"',
        "  doubled.yaml:4:19  clusters[1].contxt: is not a known key here; did you mean context?",
        '  doubled.yaml:5:5  clusters[2].name "prod": is already the name of entry [0] of this list',
        '  doubled.yaml:8:15  registries[0].aliases[0] "ghcr.io": is already a host of entry [0] of this list',
      ),
    });
  });

  it("names an entry of approvers with too few people", async () => {
    expect(await lookout(["config", "check", "approvers.yaml"], {}, { cwd, ...nobody })).toMatchObject({
      exitCode: 2,
      stderr: lines(
        "✗ the configuration approvers.yaml has 2 problems:",
        "  approvers.yaml:5:26  approvers[0].people: has too few people: 2 must approve, and 1 can",
        '  approvers.yaml:6:34  approvers[1].people[0] "zoe": is not the name of a person in people',
      ),
    });
  });

  it("reports each channel whose secret is missing or wrong with the next command, without the secret", async () => {
    const checked = await lookout(["config", "check", "channels.yaml"], {}, { cwd, ...nobody });
    const next = (name: string) => `The other channels start. When this is corrected: lookout channel test ${name}`;

    expect(checked).toMatchObject({
      exitCode: 0,
      stderr: "",
      stdout: lines(
        "✓ channels.yaml is valid: 23 settings.",
        `! channel placeless: its secret has no place for lookout start: add secretEnv or secretFile. A stack reads the parameter /STACK/channels/placeless. ${next("placeless")}`,
        `! channel unset: the variable HOOK is not set. ${next("unset")}`,
        `! channel absent: the file no-key can't be read (ENOENT). ${next("absent")}`,
        `! channel wrong: the secret is not whsec_ and the base64 of 24 to 64 bytes, or two of those with a space between. ${next("wrong")}`,
      ),
    });
    expect(checked.stdout).not.toContain("canary");
    const { stdout } = await lookout(["config", "check", "channels.yaml", "-o", "json"], {}, { cwd, ...nobody });
    expect(JSON.parse(stdout)).toMatchObject({
      problems: [],
      notices: [
        { channel: "placeless" },
        { channel: "unset", text: "the variable HOOK is not set" },
        { channel: "absent" },
        { channel: "wrong" },
      ],
    });
  });

  it("prints the problems with their places as JSON, and ends with 2", async () => {
    const { stdout, stderr, exitCode } = await lookout(
      ["config", "check", "bad.yaml", "--output", "json"],
      {},
      { cwd, ...nobody },
    );

    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 2 });
    expect(JSON.parse(stdout)).toEqual({
      file: "bad.yaml",
      problems: [
        {
          line: 2,
          column: 5,
          text: "clusters[0].name: is missing; expected a name of lower-case letters, digits and dashes",
        },
        { line: 2, column: 5, text: "clusters[0].nam: is not a known key here; did you mean name?" },
        {
          line: 3,
          column: 1,
          text: 'listen "nowhere": expected "host:port", for example "127.0.0.1:4040" or "[::1]:4040"',
        },
      ],
      notices: [],
    });
    expect(await lookout(["config", "check", "good.yaml", "-o", "json"], {}, { cwd, ...nobody })).toMatchObject({
      exitCode: 0,
      stdout: `${JSON.stringify({ file: "good.yaml", problems: [], notices: [] }, undefined, 2)}\n`,
    });
  });

  it("reports a missing named file", async () => {
    expect(await lookout(["config", "check", "none.yaml"], {}, { cwd, ...nobody })).toMatchObject({
      exitCode: 2,
      stderr: "✗ the configuration none.yaml does not exist: name a readable file with --config\n",
    });
  });

  it("reports a missing default file", async () => {
    expect(await lookout(["config", "check"], {}, { cwd, ...nobody })).toMatchObject({
      exitCode: 0,
      stdout: "✓ This directory has no lookout.yaml: all settings have their defaults.\n",
    });
  });
});

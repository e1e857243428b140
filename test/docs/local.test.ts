import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newMemoryDatabase } from "#runtime/local/state";
import { blocksOf, page } from "./markdown.ts";
import { openScratch, type Running, type Scratch } from "./shell.ts";

const scriptsOf = (path: string) =>
  blocksOf(page(path))
    .filter(({ language }) => language === "sh")
    .map(({ text }) => text);
const scripts = scriptsOf("docs/local.md");
const requests = scriptsOf("docs/api.md");

/**
 * A cluster that nobody answers for: the process starts all the same, and says that it can't be
 * reached.
 */
const kubeconfig = JSON.stringify({
  apiVersion: "v1",
  kind: "Config",
  clusters: [{ name: "away", cluster: { server: "https://127.0.0.1:1" } }],
  users: [{ name: "me", user: { token: "none" } }],
  contexts: [{ name: "away", context: { cluster: "away", user: "me" } }],
  "current-context": "away",
});

const secret = { LOOKOUT_WEBHOOK_SECRET: "a secret of this test" };
const patience = 60_000;

const missing = ["curl", "openssl"].filter((program) => spawnSync(program, ["--version"]).error !== undefined);
if (missing.length > 0)
  console.warn(`NOT TESTED HERE: the scripts of docs/local.md and docs/api.md need ${missing.join(" and ")}`);

describe.runIf(missing.length === 0)("a process beside a kubeconfig", () => {
  let scratch: Scratch;
  let lookout: Running;
  let url = "";

  beforeAll(async () => {
    scratch = openScratch({ kubeconfig, "lookout.yaml": "listen: 127.0.0.1:4141\n" });
    lookout = scratch.start("npx lookout start --kubeconfig kubeconfig --listen 127.0.0.1:0", secret);
    const said = await lookout.says(/"name":"Started"/);
    url = /http:[^"]+/.exec(said)?.[0] ?? "";
  }, patience);

  afterAll(() => scratch.close(), patience);

  const runScript = (script: string | undefined) =>
    scratch.run((script ?? "").replace("http://127.0.0.1:4040", url), secret);

  it(
    "checks the example of the page, and shows its settings",
    async () => {
      const { code, stdout } = await runScript(scripts[0]);
      const [checked = "", ...shown] = stdout.split("\n");

      expect({ code, checked }).toEqual({ code: 0, checked: "✓ lookout.yaml is valid: 1 setting." });
      expect(JSON.parse(shown.join("\n"))).toMatchObject({ file: "lookout.yaml" });
    },
    patience,
  );

  it("accepts the signed notification of the page", async () => {
    expect(await runScript(scripts[3])).toMatchObject({ code: 0, stdout: '{"pushes":1}' });
  });

  it("accepts the registry's notification of the page", async () => {
    expect(await runScript(scripts[4])).toMatchObject({
      code: 0,
      stdout: '{"ignored":"no push of an image among 0 events"}',
    });
  });

  it("answers the request of the API's page", async () => {
    const { code, stdout } = await runScript(requests[0]);

    expect({ code, answer: JSON.parse(stdout) as unknown }).toMatchObject({
      code: 0,
      answer: { workloads: [], clusters: [{ name: "local" }] },
    });
  });

  it(
    "copies the state, reads the copy by the query of the page, and starts with it",
    async () => {
      const [command = "", typed = ""] = scripts[1]?.trim().split("\n") ?? [];
      const copied = await runScript(command);
      // The file and the query, as sqlite3 takes them.
      const [, file = "", query = ""] = /^sqlite3 (\S+) "(.*)"$/.exec(typed) ?? [];
      const shell = new DatabaseSync(join(scratch.folder, file), { readOnly: true });
      const rows = shell.prepare(query).all();
      shell.close();
      await lookout.interrupt();
      const restored = await runScript(scripts[2]);
      lookout = scratch.start("npx lookout start --kubeconfig kubeconfig --listen 127.0.0.1:0", secret);
      await lookout.says(/"name":"Started"/);

      expect([copied, restored]).toMatchObject([{ code: 0 }, { code: 0 }]);
      expect(rows).toEqual([]);
    },
    patience,
  );

  it("has every view and its columns on the page", () => {
    const database = newMemoryDatabase();
    const views = database.sql.prepare("SELECT name FROM sqlite_schema WHERE type = 'view'").all();
    const columns = database.sql.prepare("SELECT name FROM pragma_table_info(?)");
    const rows = views.map(({ name }) => {
      const names = columns.all(String(name)).map((column) => `\`${String(column["name"])}\``);
      return `\`${String(name)}\` ${names.join(", ")}`;
    });
    database.close();
    const listed = page("docs/local.md")
      .text.split("\n")
      .map((line) => line.replaceAll(/\s*\|\s*/g, " ").trim());

    expect(listed).toEqual(expect.arrayContaining(rows));
  });

  it("has no other script on the pages", () => {
    expect([scripts, requests].map(({ length }) => length)).toEqual([5, 1]);
  });
});

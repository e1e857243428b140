import { lstat, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { problemOf } from "#contracts/problem";
import { lines, lookout } from "#test/cli/world";

const header = {
  lookout: "export",
  schemaVersion: 6,
  installation: "abc123",
  version: "0.1.0",
  clusters: ["prod"],
  at: "2026-11-21T18:45:53.000Z",
};
const rows = [1, 2, 3].map((number) => ({ kind: "repository", repository: { number } }));
const ndjson = (...values: readonly unknown[]): string => lines(...values.map((value) => JSON.stringify(value)));
const whole = (...values: readonly unknown[]): string =>
  ndjson(header, ...values, { lookout: "end", rows: values.length });

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "lookout-transfer-"));
});
afterEach(() => rm(cwd, { recursive: true }));

describe("lookout export", () => {
  const pages = {
    "GET /v1/state?limit=100": { body: { header, rows: rows.slice(0, 2), next: "4 a/b" } },
    "GET /v1/state?limit=100&after=4%20a%2Fb": { body: { header, rows: rows.slice(2) } },
  };

  it("writes all pages, one header, and progress only on a terminal", async () => {
    const { stdout, stderr, exitCode } = await lookout(["export"], pages, { cwd, isTerminal: true });

    expect({ stdout, stderr, exitCode }).toEqual({ stdout: whole(...rows), stderr: "2 lines\n", exitCode: 0 });
  });

  it("writes a file that only its owner may read, with history on request", async () => {
    const page = { "GET /v1/state?limit=10&history=true": { body: { header, rows } } };
    const { stdout } = await lookout(["export", "--history", "state.ndjson"], page, { cwd });

    expect(stdout).toBe("✓ 5 lines in state.ndjson, from Lookout at http://127.0.0.1:4040, named by LOOKOUT_SERVER\n");
    expect(await readFile(join(cwd, "state.ndjson"), "utf8")).toBe(whole(...rows));
    expect((await stat(join(cwd, "state.ndjson"))).mode & 0o777).toBe(0o600);
  });

  it("says how many items it lacks because they can't be read, each once, and ends with 1", async () => {
    const lacked = [{ kind: "freeze", partition: "FREEZE", sortKey: "prod", why: "is damaged: it is no JSON" }];
    const broken = {
      "GET /v1/state?limit=100": { body: { header, rows: rows.slice(0, 2), unreadable: lacked, next: "4 a/b" } },
      "GET /v1/state?limit=100&after=4%20a%2Fb": { body: { header, rows: rows.slice(2), unreadable: lacked } },
    };
    const { stdout, stderr, exitCode } = await lookout(["export"], broken, { cwd });

    expect({ stdout, stderr, exitCode }).toEqual({
      stdout: whole(...rows),
      stderr: "✗ 1 stored item can't be read, so the export lacks the content: look at lookout doctor\n",
      exitCode: 1,
    });
  });

  it("follows no symbolic link", async () => {
    for (const [link, victim] of [
      ["state.ndjson.part", "one"],
      ["state.ndjson", "two"],
    ] as const) {
      await writeFile(join(cwd, victim), "theirs", { mode: 0o644 });
      await symlink(join(cwd, victim), join(cwd, link));
    }
    await lookout(["export", "state.ndjson"], pages, { cwd });

    expect(await readFile(join(cwd, "one"), "utf8")).toBe("theirs");
    expect(await readFile(join(cwd, "two"), "utf8")).toBe("theirs");
    expect((await lstat(join(cwd, "state.ndjson"))).isFile()).toBe(true);
    expect((await readdir(cwd)).sort()).toEqual(["one", "state.ndjson", "state.ndjson.part", "two"]);
  });
});

describe("lookout import", () => {
  const imported = (content: string, answers = {}) =>
    writeFile(join(cwd, "state.ndjson"), content).then(() => lookout(["import", "state.ndjson"], answers, { cwd }));

  it("checks all lines, then stores them", async () => {
    const answer = { "POST /v1/state": { body: { stored: 2, kept: 1, evidence: 0 } } };
    const { stdout, asked } = await imported(whole(...rows), answer);

    expect(stdout).toBe(
      lines(
        "✓ 2 of 3 lines of state.ndjson are stored; 1 existed already and are unchanged.",
        "Lookout at http://127.0.0.1:4040, named by LOOKOUT_SERVER",
      ),
    );
    expect(asked.map(({ body }) => body)).toEqual([
      { header, firstLine: 2, rows, checkOnly: true },
      { header, firstLine: 2, rows, by: "ana" },
    ]);
  });

  it("says which lines were left out, and how an owner stores them", async () => {
    const answer = { "POST /v1/state": { body: { stored: 2, kept: 0, evidence: 1 } } };
    const { stdout } = await imported(whole(...rows), answer);

    expect(stdout).toBe(
      lines(
        "✓ 2 of 3 lines of state.ndjson are stored.",
        "  1 line of votes and first sightings was left out, because they open gates. An owner stores them: lookout import --with-evidence state.ndjson",
        "Lookout at http://127.0.0.1:4040, named by LOOKOUT_SERVER",
      ),
    );
  });

  it("asks for evidence with --with-evidence, for the check too", async () => {
    const answer = { "POST /v1/state": { body: { stored: 3, kept: 0, evidence: 0 } } };
    await writeFile(join(cwd, "state.ndjson"), whole(...rows));
    const { asked } = await lookout(["import", "--with-evidence", "state.ndjson"], answer, { cwd });

    expect(asked.map(({ body }) => body)).toEqual([
      { header, firstLine: 2, rows, withEvidence: true, checkOnly: true },
      { header, firstLine: 2, rows, withEvidence: true, by: "ana" },
    ]);
  });

  it("proves the owner with the token of LOOKOUT_TOKEN_FILE", async () => {
    await writeFile(join(cwd, "state.ndjson"), whole(...rows));
    await writeFile(join(cwd, "token"), "lookout-person-abc\n");
    const sent: (string | null)[] = [];
    await lookout(
      ["import", "--with-evidence", "state.ndjson"],
      {},
      {
        environment: { LOOKOUT_SERVER: "http://127.0.0.1:4040", LOOKOUT_TOKEN_FILE: "token" },
        cwd,
        fetch: async (_, { headers }) => {
          sent.push(new Headers(headers).get("x-lookout-person"));
          return Response.json({ stored: 3, kept: 0, evidence: 0 });
        },
      },
    );

    expect(sent).toEqual(["lookout-person-abc", "lookout-person-abc"]);
  });

  it("reads the standard input for -", async () => {
    const stdin = async function* () {
      yield whole(...rows);
    };
    const answer = { "POST /v1/state": { body: { stored: 3, kept: 0, evidence: 0 } } };
    const { stdout, exitCode } = await lookout(["import", "-"], answer, { stdin });

    expect([stdout.split("\n")[0], exitCode]).toEqual(["✓ 3 of 3 lines of stdin are stored.", 0]);
  });

  it("reports why a file can't be read", async () => {
    const { stderr, exitCode } = await lookout(["import", "missing.ndjson"], {}, { cwd });

    expect([stderr, exitCode]).toEqual(["✗ missing.ndjson: the file does not exist.\n", 2]);
  });

  it("sends many lines in several requests, each with the number of its first line", async () => {
    const many = Array.from({ length: 450 }, (_, number) => ({ kind: "repository", repository: { number } }));
    const answer = { "POST /v1/state": { body: { stored: 0, kept: 0, evidence: 0 } } };
    const { asked } = await imported(whole(...many), answer);
    const sent = asked.map(({ body }) => body as { readonly firstLine: number; readonly rows: readonly unknown[] });

    expect(sent.slice(3).map(({ firstLine }) => firstLine)).toEqual([2, 202, 402]);
    expect(sent.slice(3).flatMap((batch) => batch.rows)).toEqual(many);
  });

  it.each([
    { because: "it is no export", content: "dear diary\n", says: "line 1: the line is not a line of an export" },
    {
      because: "its header is missing",
      content: ndjson(...rows),
      says: "line 1: the line is not the header of an export",
    },
    {
      because: "a line is damaged",
      content: `${ndjson(header, rows[0])}{"kind"\n`,
      says: "line 3: the line is not a line of an export",
    },
    {
      because: "it is cut off",
      content: ndjson(header, ...rows).slice(0, -5),
      says: "line 4: the file is incomplete: it does not end with a line break",
    },
    {
      because: "it is cut off after a line",
      content: ndjson(header, ...rows),
      says: "line 4: the file is incomplete: its last line does not end the export",
    },
    {
      because: "it lacks a line",
      content: ndjson(header, ...rows, { lookout: "end", rows: 4 }),
      says: "line 5: the file is incomplete: its last line does not end the export",
    },
  ])("sends nothing of a file when $because", async ({ content, says }) => {
    const { exitCode, stderr, asked } = await imported(content);

    expect({ exitCode, stderr, asked }).toEqual({
      exitCode: 2,
      stderr: `✗ state.ndjson, ${says}. No line was stored.\n`,
      asked: [],
    });
  });

  it("is refused by a Lookout with its own workloads", async () => {
    const body = problemOf("not-empty", "this Lookout is installation zzz999 and has 3 workloads");
    const { exitCode, stderr } = await imported(whole(...rows), {
      "POST /v1/state": { status: 409, body },
    });

    expect({ exitCode, stderr }).toEqual({ exitCode: 4, stderr: lines(`✗ ${body.detail}`, `  ${body.remedy}`) });
  });
});

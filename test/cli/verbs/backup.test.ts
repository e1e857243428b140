import { lstat, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { problemOf } from "#contracts/problem";
import { lines, lookout } from "#test/cli/world";

const server = "Lookout at http://127.0.0.1:4040, named by LOOKOUT_SERVER";
const copy = { "GET /v1/state/file": { body: "a copy of the state", type: "application/vnd.sqlite3" } };

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "lookout-backup-"));
});
afterEach(() => rm(cwd, { recursive: true }));

describe("lookout backup", () => {
  it("writes a file that only its owner may read", async () => {
    const { stdout, exitCode } = await lookout(["backup", "copy.db"], copy, { cwd });

    expect({ stdout, exitCode }).toEqual({ stdout: `✓ 19 bytes in copy.db, from ${server}\n`, exitCode: 0 });
    expect(await readFile(join(cwd, "copy.db"), "utf8")).toBe("a copy of the state");
    expect((await stat(join(cwd, "copy.db"))).mode & 0o777).toBe(0o600);
    expect(await readdir(cwd)).toEqual(["copy.db"]);
  });

  it("reports the file as JSON", async () => {
    const { stdout } = await lookout(["backup", "copy.db", "--output", "json"], copy, { cwd });

    expect(JSON.parse(stdout)).toEqual({
      apiVersion: "lookout.dev/v1",
      kind: "Backup",
      file: join(cwd, "copy.db"),
      bytes: 19,
    });
  });

  it("replaces an existing file only with --force, and follows no symbolic link", async () => {
    await writeFile(join(cwd, "victim"), "theirs", { mode: 0o644 });
    await symlink(join(cwd, "victim"), join(cwd, "copy.db"));
    const refused = await lookout(["backup", "copy.db"], copy, { cwd });
    expect([refused.exitCode, refused.stderr, refused.asked]).toEqual([
      2,
      lines("✗ copy.db exists already.", "  To replace it:  --force"),
      [],
    ]);
    expect(await lookout(["backup", "copy.db", "--force"], copy, { cwd })).toMatchObject({ exitCode: 0 });

    expect(await readFile(join(cwd, "victim"), "utf8")).toBe("theirs");
    expect((await lstat(join(cwd, "copy.db"))).isFile()).toBe(true);
    expect((await readdir(cwd)).sort()).toEqual(["copy.db", "victim"]);
  });

  it("does not replace a file that appeared during the copy", async () => {
    const fetch = async (): Promise<Response> => {
      await writeFile(join(cwd, "copy.db"), "theirs");
      return new Response("a copy", { headers: { "content-type": "application/vnd.sqlite3" } });
    };
    const { exitCode, stderr } = await lookout(["backup", "copy.db"], {}, { cwd, fetch });

    expect([exitCode, stderr.split("\n")[0]]).toEqual([2, "✗ copy.db exists already."]);
    expect(await readFile(join(cwd, "copy.db"), "utf8")).toBe("theirs");
    expect(await readdir(cwd)).toEqual(["copy.db"]);
  });

  it("leaves no file if the connection ends before the copy", async () => {
    let pieces = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        pieces += 1;
        if (pieces === 1) controller.enqueue(Buffer.from("half a copy"));
        else controller.error(new TypeError("terminated"));
      },
    });
    const fetch = async () => new Response(body, { headers: { "content-type": "application/vnd.sqlite3" } });
    const { exitCode, stderr } = await lookout(["backup", "copy.db"], {}, { cwd, fetch });

    expect([exitCode, stderr.split("\n")[0]]).toEqual([
      3,
      "✗ Lookout can't be reached at http://127.0.0.1:4040: terminated.",
    ]);
    expect(await readdir(cwd)).toEqual([]);
  });

  it("says that an interrupted copy is not written", async () => {
    const interrupt = new AbortController();
    const fetch = async (_: string, { signal }: RequestInit): Promise<Response> => {
      interrupt.abort();
      signal?.throwIfAborted();
      return new Response();
    };
    const outcome = await lookout(["backup", "copy.db"], {}, { cwd, fetch, interrupted: () => interrupt.signal });

    expect([outcome.exitCode, outcome.stderr]).toEqual([1, "✗ Interrupted: copy.db is not written.\n"]);
    expect(await readdir(cwd)).toEqual([]);
  });

  it("reports a folder that can't be written", async () => {
    const { exitCode, stderr } = await lookout(["backup", "none/copy.db"], copy, { cwd });

    expect([exitCode, stderr]).toEqual([2, `✗ ${join(cwd, "none/copy.db")} can't be written (ENOENT).\n`]);
  });

  it.each([
    {
      because: "of a stack",
      problem: problemOf("not-here", "only a local Lookout answers this request: the table has point-in-time recovery"),
      exitCode: 1,
    },
    {
      because: "whose disk is full",
      problem: problemOf("try-again", "Lookout can't copy its state: the disk has 1 MiB free"),
      exitCode: 3,
    },
  ])("reports the refusal $because", async ({ problem, exitCode }) => {
    const answers = { "GET /v1/state/file": { status: problem.status, body: problem } };
    const outcome = await lookout(["backup", "copy.db"], answers, { cwd });

    expect([outcome.exitCode, outcome.stderr]).toEqual([exitCode, `✗ ${problem.detail}\n`]);
    expect(await readdir(cwd)).toEqual([]);
  });

  it("writes no answer of another server", async () => {
    const answers = { "GET /v1/state/file": { body: "<html>", type: "text/html" } };
    const { exitCode, stderr } = await lookout(["backup", "copy.db"], answers, { cwd });

    expect([exitCode, stderr.split("\n")[0]]).toEqual([
      3,
      "✗ The server at http://127.0.0.1:4040 is not a Lookout server (HTTP 200).",
    ]);
    expect(await readdir(cwd)).toEqual([]);
  });
});

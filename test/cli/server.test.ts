import { mkdtemp, mkdir, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { problemOf } from "#contracts/problem";
import { noRows } from "./views.ts";
import { lines, lookout } from "./world.ts";

const at = "2026-11-21T18:45:53.000Z";
const empty = { at, ...noRows, workloads: [], clusters: [], freezes: [], planned: [], inFlight: [], repositories: [] };
const list = "GET /v1/workloads";

/** As `fetch` fails: the cause is inside. */
const failed = (code: string): Error =>
  new TypeError("fetch failed", { cause: Object.assign(new Error(code), { code }) });

describe("a named server", () => {
  it.each([
    { because: "nothing listens", answer: failed("ECONNREFUSED"), why: "no server listens at this address" },
    { because: "there is no host", answer: failed("ENOTFOUND"), why: "the host does not exist" },
    {
      because: "it stays silent",
      answer: new DOMException("timed out", "TimeoutError"),
      why: "the server does not answer in time",
    },
  ])("can't be reached when $because", async ({ answer, why }) => {
    expect(await lookout(["status"], { [list]: answer })).toMatchObject({
      exitCode: 3,
      stdout: "",
      stderr: lines(
        `✗ Lookout can't be reached at http://127.0.0.1:4040: ${why}.`,
        "  The address is named by LOOKOUT_SERVER.",
      ),
    });
  });

  it("refuses a token that it does not know", async () => {
    const body = problemOf("no-token", "the API asks for the token");

    expect(await lookout(["status"], { [list]: { status: 401, body } })).toMatchObject({
      exitCode: 4,
      stderr: lines(
        "✗ Lookout at http://127.0.0.1:4040 does not accept this token.",
        "  Set LOOKOUT_TOKEN to your token of lookout token create, or name the server's state folder:  --data FOLDER",
      ),
    });
  });

  it.each([
    { status: 400, exitCode: 2 },
    { status: 403, exitCode: 4 },
    { status: 404, exitCode: 1 },
    { status: 409, exitCode: 4 },
    { status: 429, exitCode: 3 },
    { status: 503, exitCode: 3 },
  ])("answers $status, and the command reports why and ends with $exitCode", async ({ status, exitCode }) => {
    const body = { code: "x", detail: "that is not so\u001b[2J" };

    expect(await lookout(["status"], { [list]: { status, body } })).toMatchObject({
      exitCode,
      stderr: "✗ that is not so�[2J\n",
    });
  });

  it.each([
    { because: "it answers with a page", answer: { status: 200, body: "<html>" }, status: 200 },
    { because: "it answers with other JSON", answer: { status: 200, body: { hello: "world" } }, status: 200 },
    { because: "its answer lacks a member", answer: { status: 200, body: { at, workloads: [] } }, status: 200 },
    { because: "its errors are others", answer: { status: 404, body: "not found" }, status: 404 },
  ])("is not Lookout when $because", async ({ answer, status }) => {
    expect(await lookout(["status"], { [list]: answer })).toMatchObject({
      exitCode: 3,
      stderr: lines(
        `✗ The server at http://127.0.0.1:4040 is not a Lookout server (HTTP ${status}).`,
        "  The address is named by LOOKOUT_SERVER.",
      ),
    });
  });

  it.each(["127.0.0.1:4040", "ftp://x", "https://ana:secret@x", ""])(
    "is rejected when %j is no address",
    async (address) => {
      expect(await lookout(["status", "--server", address], {})).toMatchObject({
        exitCode: 2,
        stderr: lines(
          `✗ --server "${address}" is not the address of a Lookout.`,
          "  Expected for example: http://127.0.0.1:4040",
        ),
        asked: [],
      });
    },
  );

  it("gets LOOKOUT_TOKEN, and the flag wins over the environment", async () => {
    const { asked, stdout } = await lookout(["status", "--server", "https://lookout.example.com/"], {
      "GET https://lookout.example.com/v1/workloads?sort=state&limit=100": { body: empty },
      "GET https://lookout.example.com/v1/freezes": { body: empty },
      "GET https://lookout.example.com/v1/repositories": { body: empty },
    });

    expect(asked).toEqual([
      {
        what: "GET https://lookout.example.com/v1/workloads?sort=state&limit=100",
        authorization: "Bearer secret",
        body: undefined,
      },
      { what: "GET https://lookout.example.com/v1/freezes", authorization: "Bearer secret", body: undefined },
      { what: "GET https://lookout.example.com/v1/repositories", authorization: "Bearer secret", body: undefined },
    ]);
    expect(stdout).toContain("Lookout at https://lookout.example.com, named by --server\n");
  });
});

describe("the process of this directory", () => {
  let cwd: string;
  let server: Server;
  let url: string;
  const authorizations: (string | undefined)[] = [];

  beforeEach(async () => {
    cwd = await mkdtemp(join(tmpdir(), "lookout-cli-"));
    authorizations.length = 0;
    server = createServer((request, response) => {
      authorizations.push(request.headers.authorization);
      response.setHeader("content-type", "application/json").end(JSON.stringify(empty));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterEach(async () => {
    await new Promise((resolve) => server.close(resolve));
    await rm(cwd, { recursive: true });
  });

  const announce = async (folder = ".lookout", at = url): Promise<void> => {
    await mkdir(join(cwd, folder));
    await writeFile(join(cwd, folder, "server.json"), JSON.stringify({ url: at, pid: 4711 }));
    await writeFile(join(cwd, folder, "token"), "of-the-folder\n");
  };
  const ask = (typed: readonly string[], environment: Record<string, string> = {}) =>
    lookout(
      typed,
      {},
      {
        cwd,
        environment,
        fetch: (address, request) =>
          fetch(address, { ...request, headers: { ...(request.headers as object), connection: "close" } }),
      },
    );

  it("is found by its folder, and gets its token", async () => {
    await announce();

    const { stdout, exitCode } = await ask(["status"], { LOOKOUT_TOKEN: "of-another" });

    expect(exitCode).toBe(0);
    expect(stdout.split("\n").at(-2)).toBe(`Lookout at ${url}, the process of this directory`);
    expect(new Set(authorizations)).toEqual(new Set(["Bearer of-the-folder"]));
  });

  it("may use another state folder", async () => {
    await announce("state");

    const byFlag = await ask(["status", "--data", "state"]);
    const byEnvironment = await ask(["status"], { LOOKOUT_DATA: "state" });

    expect(byFlag.stdout.split("\n").at(-2)).toBe(`Lookout at ${url}, the process of state`);
    expect(byEnvironment.stdout).toBe(byFlag.stdout);
  });

  it("gets its token also under its address in any spelling", async () => {
    await announce();

    await ask(["status", "--server", url.replace("127.0.0.1", "localhost")]);

    expect(new Set(authorizations)).toEqual(new Set(["Bearer of-the-folder"]));
  });

  it("sends its token to no other server", async () => {
    await announce(".lookout", "http://127.0.0.1:1");

    await ask(["status", "--server", url]);

    expect(new Set(authorizations)).toEqual(new Set([undefined]));
  });

  it("is reported as missing before a start", async () => {
    expect(await ask(["status"])).toMatchObject({
      exitCode: 3,
      stderr: lines(
        "✗ No Lookout runs in this directory.",
        "  To start Lookout here:  lookout start",
        "  To use another server:  --server URL or --stack NAME, LOOKOUT_SERVER or LOOKOUT_STACK",
      ),
    });
  });

  it("is reported as ended if its address remains", async () => {
    await announce(".lookout", "http://127.0.0.1:1");

    expect(
      await lookout(
        ["status"],
        { "GET http://127.0.0.1:1/v1/workloads?sort=state&limit=100": failed("ECONNREFUSED") },
        { cwd, environment: {} },
      ),
    ).toMatchObject({
      exitCode: 3,
      stderr: lines(
        "✗ Lookout can't be reached at http://127.0.0.1:1: no server listens at this address.",
        "  The state folder names process 4711, which has ended or does not listen.",
        "  To start Lookout here:  lookout start",
      ),
    });
  });

  it("is not found by a damaged file", async () => {
    await announce();
    await writeFile(join(cwd, ".lookout", "server.json"), "{");

    expect(await ask(["status"])).toMatchObject({
      exitCode: 3,
      stderr: lines(
        `✗ ${join(cwd, ".lookout", "server.json")} contains no server address.`,
        "  Each start of Lookout writes this file:  lookout start",
      ),
    });
  });
});

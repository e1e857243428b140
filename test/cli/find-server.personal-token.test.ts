import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { problemOf } from "#contracts/problem";
import { lines, lookout } from "./world.ts";

const token = `lookout_ana_${"s".repeat(43)}`;
const folder = mkdtempSync(join(tmpdir(), "lookout-tokens-"));
beforeAll(() => {
  writeFileSync(join(folder, "token-of-ana"), `${token}\n`);
  writeFileSync(join(folder, "token-to-vote"), "lookout-person-abc\n");
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const frozen = { at: "2026-11-21T18:45:53.000Z", freezes: [], planned: [], inFlight: [] };

/** Freezes the fleet, and returns what the command sent. */
async function freezing(environment: Readonly<Record<string, string>>, flags: readonly string[] = []) {
  const sent: { readonly url: string; readonly authorization: string | null; readonly by: unknown }[] = [];
  const outcome = await lookout(
    ["freeze", "--why", "sale", ...flags],
    {},
    {
      environment: { USER: "somebody", ...environment },
      cwd: folder,
      fetch: async (url, { headers, body }) => {
        const { by } = JSON.parse(body as string) as { by: unknown };
        sent.push({ url, authorization: new Headers(headers).get("authorization"), by });
        return Response.json(frozen);
      },
    },
  );
  return { ...outcome, sent };
}

const url = "https://lookout.example.com";
const ofAna = { url: `${url}/v1/freezes`, authorization: `Bearer ${token}`, by: "ana" };

describe("a personal token", () => {
  it.each([
    { from: "LOOKOUT_TOKEN", environment: { LOOKOUT_TOKEN: token } },
    { from: "LOOKOUT_TOKEN with a line break", environment: { LOOKOUT_TOKEN: `${token}\n` } },
    { from: "the file LOOKOUT_TOKEN_FILE", environment: { LOOKOUT_TOKEN_FILE: "token-of-ana" } },
  ])("from $from goes to a named server, in the name of its holder", async ({ environment }) => {
    expect(await freezing({ LOOKOUT_SERVER: url, ...environment })).toMatchObject({ exitCode: 0, sent: [ofAna] });
  });

  it("does not hide another --by, which the server refuses", async () => {
    const { sent } = await freezing({ LOOKOUT_SERVER: url, LOOKOUT_TOKEN: token }, ["--by", "ben"]);
    expect(sent).toEqual([{ ...ofAna, by: "ben" }]);
  });

  it("is not the token of a vote", async () => {
    const { sent } = await freezing({ LOOKOUT_SERVER: url, LOOKOUT_TOKEN_FILE: "token-to-vote" });
    expect(sent).toEqual([{ ...ofAna, authorization: null, by: "somebody" }]);
  });

  it.each(["http://lookout.example.com", "http://10.0.0.7:4040", "http://127.0.0.1.example.com", "http://[::2]:4040"])(
    "never crosses a network in plain text: %s",
    async (server) => {
      const environment = { LOOKOUT_TOKEN: token };
      const refused = await freezing(environment, ["--server", server]);
      expect(refused).toMatchObject({
        exitCode: 2,
        sent: [],
        stderr: lines(
          `✗ ${server} has no TLS, so others on the network could read the token of ana.`,
          "  Use an address with https://",
          "  To send the token nevertheless:  --allow-http",
        ),
      });
      expect((await freezing(environment, ["--server", server, "--allow-http"])).sent).toHaveLength(1);
    },
  );

  it.each(["http://127.0.0.1:4040", "http://localhost:4040", "http://[::1]:4040"])(
    "goes to this machine without TLS: %s",
    async (server) => {
      expect((await freezing({ LOOKOUT_TOKEN: token }, ["--server", server])).sent).toMatchObject([{ by: "ana" }]);
    },
  );

  it("that was not copied whole is not sent", async () => {
    const part = token.slice(0, -1);
    const { exitCode, stderr, sent } = await freezing({ LOOKOUT_SERVER: url, LOOKOUT_TOKEN: part });
    expect([exitCode, sent]).toEqual([2, []]);
    expect(stderr).toContain("The personal token is not complete");
    expect(stderr).not.toContain("sss");
  });

  it("that has expired: the command says so, and what to do", async () => {
    const detail =
      "the token of ana expired at 2026-11-21T18:00:00.000Z; ask an owner for a new one: lookout token create ana";
    const answers = { "GET /v1/workloads": { status: 401, body: problemOf("no-token", detail) } };
    const environment = { LOOKOUT_SERVER: "http://127.0.0.1:4040", LOOKOUT_TOKEN: token };
    expect(await lookout(["status"], answers, { environment })).toMatchObject({
      exitCode: 4,
      stderr: lines(`✗ Lookout at http://127.0.0.1:4040 refuses the request: ${detail}.`),
    });
  });

  it("proves the vote of its holder on the process of a folder", async () => {
    writeFileSync(join(folder, "server.json"), JSON.stringify({ url: "http://127.0.0.1:4041", pid: 1 }));
    const sent: (string | null)[][] = [];
    await lookout(
      ["approvals", "--data", "."],
      {},
      {
        environment: { LOOKOUT_TOKEN_FILE: "token-of-ana" },
        cwd: folder,
        fetch: async (_, { headers }) => {
          const all = new Headers(headers);
          sent.push([all.get("authorization"), all.get("x-lookout-person")]);
          return Response.json({ at: frozen.at, approvals: [] });
        },
      },
    );
    expect(sent).toEqual([[`Bearer ${token}`, null]]);
  });
});

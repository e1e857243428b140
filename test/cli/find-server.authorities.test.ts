import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Trust } from "#cli/world";
import { lookout } from "./world.ts";

const folder = mkdtempSync(join(tmpdir(), "lookout-ca-"));
const pem = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
writeFileSync(join(folder, "ca.pem"), pem);
writeFileSync(join(folder, "text"), "not a certificate");
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** Lists the freezes, and returns what the request trusted. */
async function trusting(environment: Readonly<Record<string, string>>, cwd = folder) {
  const trusted: (Trust | undefined)[] = [];
  const outcome = await lookout(
    ["freeze", "--why", "sale"],
    {},
    {
      environment,
      cwd,
      fetch: async (_url, _request, trust) => {
        trusted.push(trust);
        return Response.json({ at: "2026-11-21T18:45:53.000Z", freezes: [], planned: [], inFlight: [] });
      },
    },
  );
  return { ...outcome, trusted };
}

const url = "https://lookout.example.com";

describe("a request over HTTPS", () => {
  it.each([
    { what: "the system's authorities", environment: { LOOKOUT_SERVER: url }, trusts: undefined },
    {
      what: "the file LOOKOUT_CA_FILE",
      environment: { LOOKOUT_SERVER: url, LOOKOUT_CA_FILE: "ca.pem" },
      trusts: { certificates: pem, isPinned: false },
    },
    {
      what: "nothing more without TLS",
      environment: { LOOKOUT_SERVER: "http://127.0.0.1:1", LOOKOUT_CA_FILE: "ca.pem" },
      trusts: undefined,
    },
  ])("trusts $what", async ({ environment, trusts }) => {
    expect(await trusting(environment)).toMatchObject({ exitCode: 0, trusted: [trusts] });
  });

  it("to the process of a folder trusts only the certificate in server.json", async () => {
    const state = join(folder, "state");
    mkdirSync(state);
    writeFileSync(join(state, "server.json"), JSON.stringify({ url: "https://127.0.0.1:1", pid: 1, certificate: pem }));

    const pinned = { certificates: pem, isPinned: true };
    expect(await trusting({ LOOKOUT_DATA: "state" })).toMatchObject({ exitCode: 0, trusted: [pinned] });
    const named = { LOOKOUT_DATA: "state", LOOKOUT_SERVER: "https://localhost:1" };
    expect(await trusting(named)).toMatchObject({ exitCode: 0, trusted: [pinned] });
  });

  it.each([
    { file: "missing", says: "LOOKOUT_CA_FILE names missing, which can't be read." },
    { file: "text", says: "LOOKOUT_CA_FILE names text, which has no certificate in PEM." },
  ])("is not sent with the authorities of $file", async ({ file, says }) => {
    const { exitCode, stderr, trusted } = await trusting({ LOOKOUT_SERVER: url, LOOKOUT_CA_FILE: file });

    expect({ exitCode, trusted }).toEqual({ exitCode: 2, trusted: [] });
    expect(stderr).toContain(says);
  });
});

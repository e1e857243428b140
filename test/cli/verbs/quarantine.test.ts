import { describe, expect, it } from "vitest";
import { digests } from "../views.ts";
import { lines, lookout } from "../world.ts";

describe("lookout quarantine", () => {
  const entry = { by: "ana", why: "CVE-2026-1234", at: "2026-11-21T16:45:53.000Z" };
  const view = { quarantined: [digests.new, digests.old].map((digest) => ({ digest, ...entry })) };
  const answers = { "GET /v1/quarantine": { body: view }, "POST /v1/quarantine": { body: view } };

  it("lists digests with their authors, times and reasons", async () => {
    expect((await lookout(["quarantine", "list"], answers)).stdout).toBe(
      lines(
        "DIGEST         BY    SINCE     WHY",
        "4d5e6f708192   ana   2 h ago   CVE-2026-1234",
        "9b2c41d0e7aa   ana   2 h ago   CVE-2026-1234",
      ),
    );
    expect((await lookout(["quarantine", "list", "-o", "name"], answers)).stdout).toBe(lines(digests.new, digests.old));
    expect(
      (await lookout(["quarantine", "list"], { "GET /v1/quarantine": { body: { quarantined: [] } } })).stdout,
    ).toBe("No digest is in quarantine.\n");
  });

  it("adds a digest in the name of the current user", async () => {
    expect(await lookout(["quarantine", "add", digests.new, "--why", "CVE-2026-1234"], answers)).toEqual({
      exitCode: 0,
      stdout: "✓ Digest 4d5e6f708192 is in quarantine. No workload gets this digest.\n",
      stderr: "",
      asked: [
        {
          what: "POST /v1/quarantine",
          authorization: "Bearer secret",
          body: { digest: digests.new, why: "CVE-2026-1234", by: "ana" },
        },
      ],
    });
  });

  it("tells how many workloads run the digest already, and how many updates it holds", async () => {
    const body = { ...view, effect: { workloads: 40, runs: 2, holds: 1 } };
    const { stdout } = await lookout(["quarantine", "add", digests.new, "--why", "CVE-2026-1234"], {
      "POST /v1/quarantine": { body },
    });

    expect(stdout).toBe(
      lines(
        "✓ Digest 4d5e6f708192 is in quarantine. No workload gets this digest.",
        "  2 of 40 workloads run it, and stay as they are. It holds 1 waiting update.",
      ),
    );
  });

  it("requires a whole digest and a reason", async () => {
    expect(await lookout(["quarantine", "add", "4d5e6f708192", "--why", "x"], answers)).toMatchObject({
      exitCode: 2,
      stderr: lines(
        '✗ "4d5e6f708192" is not a whole digest.',
        "  Expected sha256: and 64 hexadecimal digits. To see whole digests:  lookout status --wide",
      ),
      asked: [],
    });
    expect(await lookout(["quarantine", "add", digests.new, "--why", " "], answers)).toMatchObject({
      exitCode: 2,
      asked: [],
    });
    expect(await lookout(["quarantine", "add", digests.new], answers)).toMatchObject({
      exitCode: 2,
      stderr: lines(
        "✗ Required option '--why <text>' not specified.",
        "  To see all options:  lookout quarantine add --help",
      ),
    });
  });

  it("lifts a digest by its first digits", async () => {
    const what = `DELETE /v1/quarantine/${encodeURIComponent(digests.new)}?by=ana`;
    const { stdout, asked } = await lookout(["quarantine", "lift", "4d5e6f"], { ...answers, [what]: { body: view } });

    expect({ stdout, asked: asked.map((one) => one.what) }).toEqual({
      stdout: "✓ Digest 4d5e6f708192 is out of quarantine.\n",
      asked: ["GET /v1/quarantine", what],
    });
  });

  it("lifts no ambiguous digest", async () => {
    const twin = `sha256:4d5e6f708192${"1".repeat(52)}`;
    const twins = {
      "GET /v1/quarantine": { body: { quarantined: [digests.new, twin].map((digest) => ({ digest, ...entry })) } },
    };

    expect(await lookout(["quarantine", "lift", "4d5e6f70"], twins)).toMatchObject({
      exitCode: 2,
      stderr: lines(
        "✗ 2 digests in quarantine begin with 4d5e6f70. Use one of these:",
        `  ${digests.new}`,
        `  ${twin}`,
      ),
    });
    expect(await lookout(["quarantine", "lift", "abcdef"], twins)).toMatchObject({
      exitCode: 1,
      stderr: lines(
        "✗ No digest in quarantine begins with abcdef.",
        "  To see all digests in quarantine:  lookout quarantine list",
      ),
    });
    expect(await lookout(["quarantine", "lift", "4d5"], twins)).toMatchObject({
      exitCode: 2,
      stderr: '✗ "4d5" is not a digest: expected at least 6 hexadecimal digits.\n',
    });
  });
});

import { describe, expect, it } from "vitest";
import { startOptions } from "#cli/verbs/start";
import { digests } from "../views.ts";
import { lines, lookout } from "../world.ts";

const api = "prod/shop/deployment/api";

describe("lookout unblock", () => {
  it.each([
    {
      hold: true,
      refusals: 2,
      says: "the hold has ended, and 2 blocked digests may be tried again. Its policy is asked again.",
    },
    { hold: true, refusals: 0, says: "the hold has ended. Its policy is asked again." },
    { hold: false, refusals: 1, says: "1 blocked digest may be tried again. Its policy is asked again." },
    { hold: false, refusals: 0, says: "nothing is blocked or held after a rollback." },
  ])("says: $says", async ({ hold, refusals, says }) => {
    const what = `POST /v1/workloads/${api}/unblock`;

    expect(await lookout(["unblock", api], { [what]: { body: { workload: api, hold, refusals } } })).toEqual({
      exitCode: 0,
      stdout: `✓ ${api}: ${says}\n`,
      stderr: "",
      asked: [{ what, authorization: "Bearer secret", body: { by: "ana" } }],
    });
  });

  it("says when the workload is not tracked", async () => {
    const body = { error: { code: "not-found", message: `${api} is not tracked` } };
    const answers = { [`POST /v1/workloads/${api}/unblock`]: { status: 404, body } };

    expect(await lookout(["unblock", api], answers)).toMatchObject({
      exitCode: 1,
      stderr: `✗ ${api} is not tracked\n`,
    });
  });
});

describe("lookout quarantine", () => {
  const entry = { by: "ana", why: "CVE-2026-1234", at: "2026-11-21T16:45:53.000Z" };
  const view = { quarantined: [digests.new, digests.old].map((digest) => ({ digest, ...entry })) };
  const answers = { "GET /v1/quarantine": { body: view }, "POST /v1/quarantine": { body: view } };

  it("lists digests, by whom, since when and why", async () => {
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

  it("adds a digest in the name of who is logged in", async () => {
    expect(await lookout(["quarantine", "add", digests.new, "--why", "CVE-2026-1234"], answers)).toEqual({
      exitCode: 0,
      stdout: "✓ 4d5e6f708192 is in quarantine: no workload is given it.\n",
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

  it("adds nothing but a whole digest, with a reason", async () => {
    expect(await lookout(["quarantine", "add", "4d5e6f708192", "--why", "x"], answers)).toMatchObject({
      exitCode: 2,
      stderr: lines(
        '✗ "4d5e6f708192" is not a whole digest.',
        "  Expected sha256: and 64 hexadecimal digits; they are shown by:  lookout status --wide",
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
        "  To see what there is:  lookout quarantine add --help",
      ),
    });
  });

  it("lifts a digest by its first digits", async () => {
    const what = `DELETE /v1/quarantine/${encodeURIComponent(digests.new)}`;
    const { stdout, asked } = await lookout(["quarantine", "lift", "4d5e6f"], { ...answers, [what]: { body: view } });

    expect({ stdout, asked: asked.map((one) => one.what) }).toEqual({
      stdout: "✓ 4d5e6f708192 is out of quarantine.\n",
      asked: ["GET /v1/quarantine", what],
    });
  });

  it("lifts nothing that it can't tell from others", async () => {
    const twin = `sha256:4d5e6f708192${"1".repeat(52)}`;
    const twins = {
      "GET /v1/quarantine": { body: { quarantined: [digests.new, twin].map((digest) => ({ digest, ...entry })) } },
    };

    expect(await lookout(["quarantine", "lift", "4d5e6f70"], twins)).toMatchObject({
      exitCode: 2,
      stderr: lines("✗ 2 digests in quarantine begin with 4d5e6f70; say which:", `  ${digests.new}`, `  ${twin}`),
    });
    expect(await lookout(["quarantine", "lift", "abcdef"], twins)).toMatchObject({
      exitCode: 1,
      stderr: lines(
        "✗ No digest in quarantine begins with abcdef.",
        "  To see those that are:  lookout quarantine list",
      ),
    });
    expect(await lookout(["quarantine", "lift", "4d5"], twins)).toMatchObject({
      exitCode: 2,
      stderr: '✗ "4d5" is not a digest: expected at least 6 hexadecimal digits.\n',
    });
  });
});

describe("lookout push", () => {
  const what = "POST /v1/demo/push";
  const answers = { [what]: { status: 202, body: { image: "registry.demo/shop/api:1.3.0", digest: digests.new } } };

  it.each(["shop/api:1.3.0", "registry.demo/shop/api:1.3.0"])("pushes %s to the demo's registry", async (image) => {
    const { stdout, asked } = await lookout(["push", image], answers);

    expect({ stdout, asked: asked.map(({ body }) => body) }).toEqual({
      stdout: lines(
        "✓ pushed registry.demo/shop/api:1.3.0 @ 4d5e6f708192",
        "  To see what comes of it:  lookout status",
      ),
      asked: [{ image: "shop/api:1.3.0" }],
    });
  });

  it("pushes an image that can't start", async () => {
    const { asked } = await lookout(["push", "shop/api:1.3.0", "--broken"], answers);

    expect(asked.map(({ body }) => body)).toEqual([{ image: "shop/api:1.3.0", broken: true }]);
  });

  it.each(["shop/api", "shop/api:", `shop/api:1@${digests.new}`, "Shop/api:1", ""])("refuses %j", async (image) => {
    expect(await lookout(["push", image], answers)).toMatchObject({
      exitCode: 2,
      stderr: lines(`✗ "${image}" is not an image to push: expected path:tag.`, "  For example: shop/api:1.3.0"),
      asked: [],
    });
  });

  it("says when this Lookout is not the demo", async () => {
    expect(await lookout(["push", "shop/api:1.3.0"], {})).toMatchObject({
      exitCode: 1,
      stdout: "",
      stderr: lines(
        "✗ This Lookout is not the demo: it has no registry to push to.",
        "  Lookout at http://127.0.0.1:4040, named by LOOKOUT_SERVER.",
        "  Push to your own registry with your own tools; Lookout hears of it.",
      ),
    });
  });
});

describe("lookout start", () => {
  it("refuses an address that is none", async () => {
    expect(await lookout(["start", "--listen", "4040"], {})).toMatchObject({
      exitCode: 2,
      stderr: lines('✗ --listen "4040" is not an address: expected host:port.', "  For example: 127.0.0.1:4040"),
    });
  });

  it("says when it can't start with what was asked for", async () => {
    expect(await lookout(["start", "--config", "lookout.yaml"], {}, { cwd: "/nowhere" })).toMatchObject({
      exitCode: 2,
      stdout: "",
      stderr: "✗ the configuration /nowhere/lookout.yaml does not exist: name a file that you may read\n",
    });
  });

  it("means paths from here", () => {
    expect(
      startOptions(
        { kubeconfig: "kube", config: "/etc/lookout.yaml", listen: "[::1]:0", output: "json" },
        { cwd: "/here", isTerminal: true },
      ),
    ).toEqual({
      kubeconfig: "/here/kube",
      config: "/etc/lookout.yaml",
      listen: "[::1]:0",
      output: "json",
    });
    expect(
      startOptions({ output: "text", data: "other", context: "kind" }, { cwd: "/here", isTerminal: false }),
    ).toEqual({
      context: "kind",
      dataDir: "/here/other",
      output: "text",
    });
  });

  it("tells people in words, and programs in lines of JSON", () => {
    const world = { cwd: "/here" };

    expect(startOptions({}, { ...world, isTerminal: true })).toEqual({ output: "text" });
    expect(startOptions({}, { ...world, isTerminal: false })).toEqual({ output: "json" });
  });
});

import { describe, expect, it } from "vitest";
import { epochMs } from "#domain/shared/time";
import type { World } from "#cli/world";
import { digests, image, update, workload } from "../views.ts";
import { type Answers, lines, lookout, now, notFound } from "../world.ts";

const api = "prod/shop/deployment/api";
const path = `GET /v1/workloads/${api}`;
const listed = { at: "2026-11-21T18:45:53.000Z", workloads: [workload(api)], clusters: [] };
const history = { body: { workload: api, decisions: [] } };
const running = { body: workload(api, { version: 0, runs: [image("api", "1.5.0", digests.new)] }) };
const held = {
  body: workload(api, { version: 0, state: "held", runs: [image("api", "1.4.2")], pending: update(api) }),
};
const known: Answers = {
  "GET /v1/workloads": { body: listed },
  [`${path}/decisions?limit=200`]: history,
};

/** Waits on a clock that only pauses move. The timeout of ten minutes never ends. */
async function wait(typed: readonly string[], answers: Answers, surroundings: Partial<World> = {}) {
  let at = now;
  let pauses = 0;
  const outcome = await lookout(
    ["wait", ...typed],
    { ...known, ...answers },
    {
      now: () => at,
      pause: async (length, signal) => {
        if (length >= 600_000)
          await new Promise<void>((resolve) => {
            signal?.addEventListener("abort", () => {
              resolve();
            });
          });
        else at = epochMs(at + length);
        pauses += 1;
      },
      ...surroundings,
    },
  );
  return { ...outcome, passedMs: at - now, pauses };
}

describe("lookout wait", () => {
  it("ends with 0 if the version runs", async () => {
    const { exitCode, stdout, stderr } = await wait(["shop/api", "1.5.0"], { [path]: running });

    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: 0,
      stdout: "✓ shop/api runs 1.5.0 @ 4d5e6f708192 already\n",
      stderr: "",
    });
  });

  it("ends with 3 after a minute without an answer, and says at once that there is none", async () => {
    const { exitCode, stdout, stderr, passedMs } = await wait(["shop/api", "1.5.0"], {
      "GET /v1/workloads": new TypeError("fetch failed", { cause: { code: "ECONNREFUSED" } }),
    });
    const away = "Lookout can't be reached at http://127.0.0.1:4040: ";

    expect({ exitCode, stdout, passedMs }).toEqual({ exitCode: 3, stdout: "", passedMs: 60_000 });
    expect(stderr.split("\n")[0]).toMatch(new RegExp(`^! ${away}.* The wait goes on for a minute[.]$`));
    expect(stderr.split("\n")[1]).toMatch(new RegExp(`^✗ ${away}`));
  });

  it("ends with 1 if the workload is no longer tracked", async () => {
    const gone = { status: 404, body: notFound(api) };

    expect(await wait([api, "1.5.0"], { [path]: gone })).toMatchObject({
      exitCode: 1,
      stderr: lines("✗ shop/api is no longer tracked.", `  To see the reasons:  lookout explain ${api}`),
    });
  });

  it("ends with 4 at once if the server refuses", async () => {
    const refused = { status: 403, body: { code: "not-allowed", detail: "this needs the role viewer", title: "x" } };

    expect(await wait(["shop/api", "1.5.0"], { "GET /v1/workloads": refused })).toMatchObject({
      ...{ exitCode: 4, passedMs: 0 },
      stderr: lines("✗ this needs the role viewer"),
    });
  });

  it("ends with 5 after the timeout, with the present step", async () => {
    const ended = await wait(["shop/api", "1.5.0", "--timeout", "0"], { [path]: held });

    expect(ended).toMatchObject({
      ...{ exitCode: 5, stdout: "09:12:01  selected 1.5.0 @ 4d5e6f708192\n" },
      stderr: lines(
        "✗ shop/api 1.5.0 @ 4d5e6f708192 did not succeed in time: held.",
        `  To see the reasons:  lookout explain ${api}`,
      ),
    });
  });

  it("rewrites one line on a terminal, and never one that is wider than it", async () => {
    const stop = new AbortController();
    const { exitCode, stdout } = await wait(
      ["shop/api", "1.5.0"],
      { [path]: held },
      {
        isTerminal: true,
        columns: 30,
        interrupted: () => stop.signal,
        pause: async (length) => {
          if (length >= 600_000) await new Promise(() => undefined);
          stop.abort();
        },
      },
    );

    expect({ exitCode, stdout }).toEqual({
      exitCode: 130,
      stdout: "\u{1b}[33m⏸\u{1b}[39m shop/api: held, 10 h 33 m …\r\u{1b}[K",
    });
  });

  it.each([
    { typed: ["shop/api", "a b"], says: '✗ "a b" is neither a tag nor a digest.' },
    { typed: ["shop/api", "sha256:12"], says: '✗ "sha256:12" is neither a tag nor a digest.' },
    {
      typed: ["shop/api", "1", "--timeout", "soon"],
      says: "✗ Option '--timeout <duration>' argument 'soon' is invalid.",
    },
    {
      typed: ["shop/api", "1", "--timeout", "25d"],
      says: "✗ Option '--timeout <duration>' argument '25d' is invalid.",
    },
    { typed: ["shop/api", "1", "--for", "setled"], says: "✗ Option '--for <condition>' argument 'setled' is invalid." },
    { typed: ["shop"], says: '✗ No workload "shop" is tracked.' },
    { typed: [], says: "✗ Missing required argument 'workload'." },
  ])("rejects $typed", async ({ typed, says }) => {
    const { exitCode, stderr } = await wait(typed, {});

    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(says) as string });
  });
});

import { describe, expect, it } from "vitest";
import type { FactView } from "#contracts/api/process";
import type { DecisionsView, ExplanationView, WorkloadsView } from "#contracts/api/workloads";
import { factOf } from "#contracts/messages/fact-view";
import { reporter } from "#runtime/local/reporter";
import { wordsOf } from "#runtime/text-width";
import { blockedView, digests, image, noRows, reason, update, windowClosed, workload } from "./views.ts";
import { type Answers, lookout } from "./world.ts";

const widths = [0, 60, 80, 120, 200] as const;
/** The width of a terminal that reports none. */
const usual = 80;
const at = "2026-11-21T18:45:53.000Z";

const longName = "payment-gateway-reconciliation-worker-of-the-european-settlement-department";
const names = Array.from({ length: 300 }, (_, index) => {
  const cluster = index % 2 === 0 ? "prod-eu-central-1-blue" : "stage";
  const namespace = index % 3 === 0 ? "checkout-and-payments" : "shop";
  const name = index % 5 === 0 ? `${longName}-${index}` : `api-${index}`;
  return `${cluster}/${namespace}/${index % 7 === 0 ? "statefulset" : "deployment"}/${name}`;
});
const [first = ""] = names;
const [cluster = "", namespace = "", kind = "", name = ""] = first.split("/");

const held = {
  state: "held",
  runs: [image("api", "1.4.2-hotfix.20261120.rebuilt-after-the-incident", digests.old)],
  wants: [image("api", "1.5.0", digests.new)],
  reasons: [windowClosed, reason("declared-source-owns-the-image", { detail: "argocd" })],
  pending: update(first),
} as const;

const fleet: WorkloadsView = {
  at,
  ...noRows,
  workloads: names.map((key, index) => {
    if (index % 10 === 0) return workload(key, held);
    if (index % 10 === 1)
      return workload(key, {
        state: "blocked",
        runs: [image("api", "1.4.2", digests.old)],
        blocked: [blockedView("api", "1.5.0", digests.new)],
      });
    return workload(key, { runs: [image("api", "1.4.2", digests.old)] });
  }),
  clusters: [
    { name: "prod-eu-central-1-blue" },
    { name: "stage", problem: { reason: "cluster-unreachable", detail: "connect ETIMEDOUT 10.0.0.1:6443", since: at } },
  ],
};

const explanation: ExplanationView = {
  at,
  workload: workload(first, held),
  selections: [
    { container: "api", policy: "semver >=1 <4", outcome: "selected", tag: "1.5.0", tags: 41, rejected: [] },
  ],
  gates: [
    { gate: "window", open: false, why: windowClosed },
    { gate: "min-age", open: true, detail: "first seen 26 h ago, needs 24 h" },
  ],
  notices: [
    "After the next rollout, an ordinary kubectl apply of an unchanged manifest downgrades the image, unless the manifest leaves it out.",
  ],
};

const decisions: DecisionsView = {
  workload: first,
  decisions: Array.from({ length: 20 }, (_, index) => ({
    at,
    seq: index,
    version: index,
    what: "update held",
    fact: "UpdateHeld",
    images: [image("api", "1.5.0", digests.new)],
    reasons: [windowClosed],
    cause: "push",
  })),
};

const fact: FactView = {
  name: "UpdateHeld",
  id: "u/17/42/UpdateHeld",
  workload: { cluster, namespace, kind: "StatefulSet", name },
  ...{ uid: "u", seq: 17, version: 42, at: "2026-11-21T18:45:00.250Z" },
  selected: true,
  source: "webhook distribution",
  detectedAt: "2026-11-21T18:45:00.000Z",
  changes: [
    {
      ...{ list: "containers", name: "api", imageName: "registry.example.com/shop/payment-gateway-reconciliation" },
      ...{ tag: "1.5.0", digest: digests.new, apply: "pin", policy: "semver ^1" },
      ...{ from: "registry.example.com/shop/api:1.4.2", to: "registry.example.com/shop/api:1.5.0" },
    },
  ],
  reasons: [{ reason: "window-closed", detail: "Sat 22:00–02:00 Europe/Berlin" }],
  ...{ severity: "notice", outcome: "waiting", text: "" },
};
const failure: FactView["reasons"] = [
  { reason: "rollout-failed", detail: `ImagePullBackOff in container api (image ${digests.new}) of pod ${name}-7d9f` },
];
const stream = [
  fact,
  { ...fact, name: "RolloutStarted", selected: undefined as never },
  { ...fact, name: "RolloutFailed", selected: undefined as never, reasons: failure },
  { ...fact, name: "RolledBack", selected: undefined as never, reasons: failure },
].map((one) => JSON.parse(JSON.stringify(one)) as FactView);

const path = `GET /v1/workloads/${cluster}/${namespace}/${kind}/${name}`;
const answers: Answers = {
  "GET /v1/workloads": { body: fleet },
  "GET /v1/clusters": { body: { at, clusters: fleet.clusters } },
  "GET /v1/repositories": { body: { at, repositories: [] } },
  "GET /v1/freezes": {
    body: {
      at,
      freezes: [{ scope: "stage", by: "ana", why: "the yearly audit of all systems that handle payments", at }],
      planned: [],
      inFlight: [],
    },
  },
  "GET /v1/events": {
    body: stream.map((one) => `data: ${JSON.stringify(one)}\n\n`).join(""),
    type: "text/event-stream",
  },
  [`${path}/explanation`]: { body: explanation },
  [`${path}/decisions?limit=20`]: { body: decisions },
};

/** Returns what the command prints on a terminal of a width. */
async function printed(typed: readonly string[], columns: number): Promise<string> {
  const stop = new AbortController();
  const { stdout, stderr, exitCode } = await lookout(typed, answers, {
    isTerminal: true,
    columns,
    environment: { LOOKOUT_SERVER: "http://127.0.0.1:4040", NO_COLOR: "1", USER: "ana" },
    interrupted: () => stop.signal,
    pause: async () => {
      stop.abort();
    },
  });
  expect({ exitCode, stderr: typed[0] === "watch" ? "" : stderr }).toEqual({ exitCode: 0, stderr: "" });
  return stdout;
}

/** Returns what a process prints at its start, for its facts, and for the chapters of the tour. */
function toldBy(columns: number, clusters: readonly string[] | undefined): string {
  const lines: string[] = [];
  const told = reporter({
    output: "text",
    colour: false,
    timeZone: "Europe/Berlin",
    width: () => (columns === 0 ? usual : columns),
    clusters: () => 2,
    write: (line) => void lines.push(line),
    writeError: () => undefined,
  });
  told.started({ url: "http://127.0.0.1:4040", clusters, folder: "/home/ana/platform/image-updates/.lookout" });
  told.aside("2. A window holds an update: shop/web may change on Saturdays from 22:00, in nine seconds.");
  for (const view of stream) told.onFact(factOf(view));
  return lines.map((line) => `${line}\n`).join("");
}

/** Returns the lines that are longer than the width although they could be broken between words. */
function tooLong(text: string, width: number): readonly string[] {
  return text.split("\n").filter((line) => {
    const words = wordsOf(line.trim()).filter((word) => !/^[✓✗⏸↻↩!·–]$/.test(word));
    return Array.from(line).length > width && words.length > 1;
  });
}

const commands: readonly (readonly string[])[] = [
  ["status"],
  ["status", "-o", "wide"],
  ["status", "-n", "shop"],
  ["status", first],
  ["explain", first],
  ["explain", first, "--wide"],
  ["history", first],
  ["watch"],
];

describe.each(widths)("a terminal that reports %i columns", (columns) => {
  const width = columns === 0 ? usual : columns;

  it.each(commands.map((typed) => ({ typed })))("has no longer line of lookout $typed", async ({ typed }) => {
    expect(tooLong(await printed(typed, columns), width)).toEqual([]);
  });

  it.each([
    { of: "the demo", clusters: undefined },
    { of: "a fleet", clusters: ["prod-eu-central-1-blue", "prod-eu-central-1-green", "stage-eu-central-1"] },
  ])("has no longer line of lookout start and lookout demo of $of", ({ clusters }) => {
    expect(tooLong(toldBy(columns, clusters), width)).toEqual([]);
  });

  it("has one line for each event, and two for a failure", async () => {
    // The push, the selection, the wait and the patch; then the failure and its rollback.
    expect((await printed(["watch"], columns)).trimEnd().split("\n")).toHaveLength(6);
  });

  it("shows names, digests and commands whole", async () => {
    const status = await printed(["status", "-o", "wide"], columns);
    const explained = await printed(["explain", first], columns);

    expect(names.filter((key) => !status.includes(key))).toEqual([]);
    expect(status).toContain(digests.old);
    expect(explained).toContain(`lookout history ${first}`);
  });
});

describe("the width of a terminal that reports 0 columns", () => {
  it("is COLUMNS, else 80", async () => {
    const of = async (COLUMNS: string | undefined) =>
      (
        await lookout(["status"], answers, {
          isTerminal: true,
          columns: 0,
          environment: { LOOKOUT_SERVER: "http://127.0.0.1:4040", NO_COLOR: "1", COLUMNS },
        })
      ).stdout;

    expect(await of(undefined)).toBe(await printed(["status"], 80));
    expect(await of("60")).toBe(await printed(["status"], 60));
    expect(await of("wide")).toBe(await printed(["status"], 80));
  });
});

describe("the output of 300 workloads", () => {
  it.each([60, 120])("is, at %i columns", async (columns) => {
    const texts = await Promise.all(
      [["status"], ["explain", first], ["history", first], ["watch"]].map(async (typed) => {
        const lines = (await printed(typed, columns)).split("\n");
        const kept = lines.length > 60 ? [...lines.slice(0, 24), "…", ...lines.slice(-14)] : lines;
        return [`$ lookout ${typed.join(" ")}`, ...kept].join("\n");
      }),
    );

    await expect([...texts, toldBy(columns, undefined)].join("\n")).toMatchFileSnapshot(`widths.${columns}.txt`);
  });
});

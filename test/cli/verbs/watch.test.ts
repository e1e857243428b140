import { describe, expect, it } from "vitest";
import type { FactView } from "#contracts/api/process";
import { problemOf } from "#contracts/problem";
import { digests, noRows, reason } from "../views.ts";
import { type Answers, lines, lookout } from "../world.ts";

const change: FactView["changes"][number] = {
  list: "containers",
  name: "api",
  imageName: "registry.example.com/shop/api",
  tag: "1.5.0",
  digest: digests.new,
  apply: "pin",
  from: "registry.example.com/shop/api:1.4.2",
  to: "registry.example.com/shop/api:1.5.0",
  policy: "semver ^1",
};

function fact(name: FactView["name"], more: Partial<FactView> = {}): FactView {
  return {
    name,
    id: `u/17/42/${name}`,
    workload: { cluster: "prod", namespace: "shop", kind: "Deployment", name: "api" },
    ...{ uid: "u", seq: 17, version: 42, at: "2026-11-21T18:45:00.250Z", changes: [], reasons: [] },
    ...{ severity: "info", outcome: "none", text: "" },
    ...more,
  };
}

const {
  sentence: _sentence,
  remedy: _remedy,
  ...closed
} = reason("window-closed", {
  detail: "Sat 22:00–02:00",
  until: "2026-11-21T21:00:07.000Z",
});
const held = fact("UpdateHeld", {
  selected: true,
  changes: [change],
  source: "webhook distribution",
  detectedAt: "2026-11-21T18:45:00.000Z",
  reasons: [closed],
});
const other = fact("WorkloadUntracked", {
  workload: { cluster: "prod", namespace: "pay", kind: "StatefulSet", name: "ledger" },
});

/** A stream that tells some facts, beginning with a heartbeat. */
function telling(...facts: readonly unknown[]) {
  const events = facts.map((one) => `id: 1\nevent: x\ndata: ${JSON.stringify(one)}\n\n`);
  return { body: `: heartbeat\n\n${events.join("")}`, type: "text/event-stream" };
}

/** The workloads that are tracked. */
const known = {
  "GET /v1/clusters": { body: { at: "2026-11-21T18:00:00.000Z", clusters: [{ name: "prod" }] } },
  "GET /v1/workloads": {
    body: {
      at: "2026-11-21T18:00:00.000Z",
      ...noRows,
      workloads: [{ workload: "prod/shop/deployment/api" }, { workload: "prod/pay/statefulset/ledger" }],
      clusters: [],
    },
  },
};

/**
 * Watches; the process ends after what it told, and Ctrl-C comes while its return is waited for.
 */
async function watch(typed: readonly string[], answers: Answers, rounds = 1) {
  const stop = new AbortController();
  let waited = 0;
  return lookout(
    ["watch", ...typed],
    { ...known, ...answers },
    {
      interrupted: () => stop.signal,
      pause: async () => {
        waited += 1;
        if (waited === rounds) stop.abort();
      },
    },
  );
}

const path = "GET /v1/events";
const following = "Following Lookout at http://127.0.0.1:4040, named by LOOKOUT_SERVER; stop with Ctrl-C.";
const ended = "! The connection has ended. Reconnecting. For missed events:  lookout history WORKLOAD";

describe("lookout watch", () => {
  it("prints each step and the end of the process, until Ctrl-C", async () => {
    expect(await watch([], { [path]: telling(held, other) })).toMatchObject({
      exitCode: 0,
      stdout: lines(
        "19:45:00.000  shop/api             pushed       registry.example.com/shop/api:1.5.0 @ 4d5e6f708192  (webhook distribution)",
        "19:45:00.250  shop/api             selected     1.4.2 → 1.5.0   semver ^1",
        "19:45:00.250  shop/api           ⏸ held         The maintenance window is closed: Sat 22:00–02:00 until 2026-11-21T21:00:07.000Z",
        "19:45:00.250  pay/ledger           untracked    deleted, or no longer enabled",
      ),
      stderr: lines(following, ended),
    });
  });

  it("names the cluster of each workload, if there are several clusters", async () => {
    const clusters = { body: { at: "2026-11-21T18:00:00.000Z", clusters: [{ name: "prod" }, { name: "stage" }] } };
    const there = fact("WorkloadUntracked", {
      workload: { cluster: "stage", namespace: "shop", kind: "Deployment", name: "api" },
    });

    const { stdout } = await watch([], { "GET /v1/clusters": clusters, [path]: telling(other, there) });

    expect(stdout).toBe(
      lines(
        "19:45:00.250  prod/pay/ledger      untracked    deleted, or no longer enabled",
        "19:45:00.250  stage/shop/api       untracked    deleted, or no longer enabled",
      ),
    );
  });

  it.each([
    { filters: ["pay"], tells: ["WorkloadUntracked"] },
    { filters: ["shop/api"], tells: ["UpdateHeld"] },
    { filters: ["prod/shop/deploy/api", "pay"], tells: ["UpdateHeld", "WorkloadUntracked"] },
    { filters: ["stage/shop/api"], tells: [] },
  ])("prints one fact per line for programs, only of $filters", async ({ filters, tells }) => {
    const { stdout } = await watch(["--output", "json", ...filters], { [path]: telling(held, other) });
    const facts = stdout.split("\n").filter((line) => line !== "");

    expect(facts.map((line) => JSON.parse(line) as FactView)).toEqual(
      [held, other].filter(({ name }) => tells.includes(name)),
    );
  });

  it("follows again after a restart of the process", async () => {
    const { stdout, stderr } = await watch(["-o", "json"], { [path]: telling(held) }, 2);

    expect(stdout).toBe(lines(JSON.stringify(held), JSON.stringify(held)));
    expect(stderr).toBe(lines(following, ended, following.replace("Following", "Following again:"), ended));
  });

  it("prints unknown facts by their names, without control characters", async () => {
    const strange = fact("UpdateHeld", { name: "SomethingNew" as never });
    const rude = fact("WorkloadChanged", { detail: "\u001b[2J" });

    expect((await watch([], { [path]: telling(strange, rude) })).stdout).toBe(
      lines(
        "19:45:00.250  shop/api             fact         SomethingNew",
        "19:45:00.250  shop/api             changed      �[2J",
      ),
    );
  });

  it("prints the outage of a registry and its end, with any filter", async () => {
    const outage = {
      name: "RegistryUnreachable",
      id: "registry.test/1/RegistryUnreachable",
      registry: "registry.test",
      since: "2026-11-21T18:45:12.250Z",
      at: "2026-11-21T18:45:12.250Z",
      detail: "registry.test answered 503\u001b[2J",
    };
    const end = { ...outage, name: "RegistryRecovered", at: "2026-11-21T18:49:12.250Z" };

    expect((await watch(["pay"], { [path]: telling(outage, held, end) })).stdout).toBe(
      lines(
        "19:45:12.250  ✗ registry registry.test can't be reached since 19:45:12: answered 503�[2J",
        "19:49:12.250  ✓ registry registry.test answers again after 4 min",
      ),
    );
    const { stdout } = await watch(["--output", "json"], { [path]: telling(outage, end) });
    expect(stdout).toBe(lines(JSON.stringify(outage), JSON.stringify(end)));
  });

  it("ends with 3 without a process, and with the reason if it has no stream", async () => {
    const refused = Object.assign(new TypeError("fetch failed"), {
      cause: Object.assign(new Error(), { code: "ECONNREFUSED" }),
    });
    const none = { status: 501, body: problemOf("not-here", "there is no stream") };

    expect(await watch([], { [path]: refused })).toMatchObject({ exitCode: 3, stdout: "" });
    expect(await watch([], { [path]: none })).toMatchObject({ exitCode: 1, stderr: "✗ there is no stream\n" });
  });

  it("reports an unknown name at once, with suggestions", async () => {
    expect((await watch(["shopp", "pay/other", "shop"], { [path]: telling(held) })).stderr).toBe(
      lines(
        following,
        '! No cluster, namespace or workload "shopp" is tracked. Did you mean shop?',
        '! No workload "pay/other" is tracked.',
        ended,
      ),
    );
  });

  it("rejects an invalid filter", async () => {
    expect(await watch(["a/b/c/d/e"], {})).toMatchObject({ exitCode: 2, asked: [] });
  });
});

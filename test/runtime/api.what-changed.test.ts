import { beforeEach, describe, expect, it } from "vitest";
import { renderExplanation } from "#cli/render/explain";
import { renderFleetHistory } from "#cli/render/fleet-history";
import { renderHistory } from "#cli/render/history";
import { startRegistryReads } from "#app/shared/registry-reads";
import type { HistoryView } from "#contracts/api/history";
import type { WhatChangedView } from "#contracts/api/schema";
import type { DecisionsView, ExplanationView } from "#contracts/api/workloads";
import { noNodeRules } from "#domain/gates/node-rules";
import { seconds } from "#domain/shared/time";
import type { RegistryRefusal } from "#ports/registry";
import { serveApi } from "#runtime/api";
import { trackApi, type World, world } from "#test/app/world";

const source = "https://github.com/acme/api";
const [one, two, three] = ["1111111111", "2222222222", "3333333333"];
const labelled = (revision: string, more: Readonly<Record<string, string>> = {}) => ({
  "org.opencontainers.image.source": source,
  "org.opencontainers.image.revision": revision,
  ...more,
});
const suspended = { "lookout.dev/suspend": "true" };

let lookout: World;
beforeEach(() => {
  lookout = world();
});

async function ask<View>(path: string): Promise<View> {
  const response = await serveApi(
    new Request(`http://localhost/v1${path}`),
    lookout.ports,
    new AbortController().signal,
  );
  return (await response.json()) as View;
}

const style = () => ({ width: undefined, colour: false, now: lookout.clock.now(), timeZone: "UTC", wide: false });
const path = "/workloads/prod/shop/deployment/api";

/** What the output says below `What changed:`. */
const changesIn = (text: string) => /^What changed:(.*(?:\n {2}.*)*)$/m.exec(text)?.[1]?.trim();

async function explained(): Promise<string | undefined> {
  const view = await ask<ExplanationView>(`${path}/explanation`);
  return changesIn(renderExplanation(view, undefined, style()));
}

async function decided(): Promise<string | undefined> {
  const view = await ask<DecisionsView>(`${path}/decisions`);
  return changesIn(renderHistory(view, { limit: 100, most: 100, since: undefined, before: undefined }, style()));
}

/** What the facts, from the last on, say of the changes of the newest update. */
function told(): WhatChangedView | undefined {
  return lookout.facts.findLast(({ changes }) => changes.length > 0)?.changes[0]?.whatChanged;
}

async function start(options: Parameters<World["push"]>[2], annotations = {}): Promise<string> {
  await lookout.push("shop/api", "1.0.0", { quietly: true, ...options });
  return trackApi(lookout, annotations);
}

async function push(tag: string, options: Parameters<World["push"]>[2]): Promise<void> {
  await lookout.push("shop/api", tag, options);
  await lookout.pass(seconds(30));
}

const compared = {
  url: `${source}/compare/${one}...${two}`,
  from: { source, revision: one },
  to: { source, revision: two },
};

describe("an update between images that name their commits", () => {
  it("links the comparison in the explanation, the histories and the facts", async () => {
    await start({ labels: labelled(one) });
    await push("1.1.0", { labels: labelled(two) });

    expect(told()).toEqual(compared);
    expect(await explained()).toBe(compared.url);
    expect(await decided()).toBe(`update 1   ${compared.url}`);
    const fleet = await ask<HistoryView>("/history");
    expect(fleet.rows[0]?.images[0]?.whatChanged).toEqual(compared);
    expect(changesIn(renderFleetHistory(fleet, { limit: 20, most: 100 }, style()))).toBe(
      `prod/shop/deployment/api#1   ${compared.url}`,
    );
  });

  it("shows the link while the update waits for a person", async () => {
    await start({ labels: labelled(one) }, suspended);
    await push("1.1.0", { labels: labelled(two) });

    expect(await explained()).toBe(compared.url);
    const view = await ask<ExplanationView>(`${path}/explanation`);
    expect(view.workload.pending?.wants[0]?.whatChanged).toEqual(compared);
  });

  it("lists each update once, the newest first", async () => {
    await start({ labels: labelled(one) });
    await push("1.1.0", { labels: labelled(two) });
    await push("1.2.0", { labels: labelled(three) });

    expect(await decided()).toBe(
      [`update 2   ${source}/compare/${two}...${three}`, `  update 1   ${compared.url}`].join("\n"),
    );
  });

  it.each([
    ["the annotations of the index", { platforms: ["linux/amd64"], annotations: labelled(two) }],
    [
      "the labels of the first platform of an index",
      { platforms: ["linux/amd64", "linux/arm64"], labels: labelled(two) },
    ],
    ["the annotations of a single image", { annotations: labelled(two) }],
  ])("finds the commit in %s", async (_, options) => {
    await start({ labels: labelled(one) });
    await push("1.1.0", options);

    expect(told()).toEqual(compared);
  });

  it("links the commit of the new image if the old one names none", async () => {
    await start({});
    await push("1.1.0", { labels: labelled(two, { "org.opencontainers.image.version": "1.1.0" }) });

    expect(told()).toEqual({ url: `${source}/commit/${two}`, to: { source, revision: two, version: "1.1.0" } });
  });

  it("shows the commits of an unknown code host without a link", async () => {
    const own = { "org.opencontainers.image.source": "https://git.example.com/acme/api" };
    await start({ labels: labelled(one, own) });
    await push("1.1.0", { labels: labelled(two, own) });

    expect(told()).toEqual({ to: { revision: two } });
    expect(await explained()).toBe(`commit ${two}`);
  });

  it.each([
    ["no labels", {}],
    ["hostile labels", labelled("$(reboot)", { "org.opencontainers.image.source": "https://evil.example/<!channel>" })],
  ])("shows nothing for %s", async (_, labels) => {
    await start({ labels: labelled(one) });
    await push("1.1.0", { labels });

    expect(told()).toBeUndefined();
    expect([await explained(), await decided()]).toEqual([undefined, undefined]);
  });
});

describe("the requests for the origin of an image", () => {
  it("are one of the configuration for an update whose running image Lookout brought", async () => {
    await start({ labels: labelled(one) });
    await push("1.1.0", { labels: labelled(two) });
    const before = { ...lookout.registry.calls };
    await push("1.2.0", { labels: labelled(three) });

    expect(lookout.registry.calls.config - before.config).toBe(1);
    expect(lookout.registry.calls.manifest - before.manifest).toBe(1);
  });

  it("are not repeated while the update waits", async () => {
    await start({ labels: labelled(one) }, suspended);
    await push("1.1.0", { labels: labelled(two) });
    const before = { ...lookout.registry.calls };
    await lookout.tellAgain("shop/api", "1.1.0");
    await lookout.sync();
    await lookout.sweep();
    await lookout.pass(seconds(30));

    expect(lookout.registry.calls).toMatchObject({ config: before.config, manifest: before.manifest });
    expect(told()).toEqual(compared);
  });

  it.each<[what: string, answer: RegistryRefusal | Error]>([
    ["gives no answer", { kind: "unreachable", detail: "down", isOutage: true }],
    ["denies it", { kind: "denied", detail: "no" }],
    ["limits it", { kind: "unreachable", detail: "429", reason: "registry-throttled", retryAfterMs: 60_000 }],
    ["fails in an unexpected way", new TypeError("undefined is not a function")],
  ])("never hinder an update if the registry %s", async (_, answer) => {
    const key = await start({ labels: labelled(one) });
    const config = () => (answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer));
    Object.assign(lookout.ports, { registry: { ...lookout.ports.registry, config } });
    await push("1.1.0", { labels: labelled(two) });

    expect((await lookout.record(key)).last).toMatchObject({ seq: 1, status: "succeeded" });
    expect(told()).toBeUndefined();
  });

  it.each([
    { rule: "no rule about nodes", nodes: noNodeRules, asked: 0 },
    { rule: "a rule about nodes", nodes: { clusters: [], defaults: { nodePlatforms: "prefer" } } as const, asked: 1 },
  ])("are for annotations only on ECR, with $rule for $asked configurations", async ({ nodes, asked }) => {
    const ecr = { registry: "111122223333.dkr.ecr.eu-central-1.amazonaws.com", repository: "shop/api" };
    const digest = lookout.registry.push(ecr.registry, ecr.repository, "1.1.0", { labels: labelled(two) });
    const ports = { ...lookout.ports, rules: { ...lookout.ports.rules, nodes } };

    const origin = await startRegistryReads(ports, [], new AbortController().signal).origin(ecr, digest);

    expect(lookout.registry.calls.config).toBe(asked);
    expect(origin).toEqual(asked === 0 ? undefined : { source, revision: two });
  });
});

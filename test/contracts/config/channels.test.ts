import { describe, expect, it } from "vitest";
import { channelKinds } from "#channels/index";
import { parseConfiguration } from "#contracts/config/configuration";

const audit = { name: "audit", kind: "webhook", address: "https://hooks.example.com/lookout", secretEnv: "HOOK" };
const { secretEnv: _, ...placeless } = audit;
const clusters = [{ name: "prod" }, { name: "stage" }];

function problemsOf(...channels: readonly object[]): readonly string[] {
  const parsed = parseConfiguration({ clusters, channels });
  return parsed.ok ? [] : parsed.problem.map(({ path, value, message }) => [path, value ?? "–", message].join(" | "));
}

const kinds = Object.keys(channelKinds).join(", ");
const itself = "looks like the secret itself: write the name of its place here, and keep the secret out of the file";
const anAddress = "expected an https:// address without a user, a query or a fragment";

describe("a channel of lookout.yaml", () => {
  it.each([
    ["a place of its secret", audit],
    ["no place, because a stack has a parameter for it", placeless],
    ["a file", { ...placeless, secretFile: "secrets/hook" }],
    ["a parameter", { ...placeless, secretParameter: "/lookout/channels/audit" }],
    ["the id of a secret with long random text", { ...placeless, secretId: "lookout/hook-a1b2c3d4e5f6a7b8c9d0" }],
    ["a filter that something fits", { ...audit, clusters: ["prod"], events: ["failures"], minSeverity: "critical" }],
    ["any fact", { ...audit, events: ["RolledBack", "RegistryUnreachable", "PushDisputed"] }],
    ["some denied namespaces", { ...audit, namespaces: { allow: ["shop-*"], deny: ["shop-test", "shop-a*"] } }],
  ])("may have %s", (_name, channel) => {
    expect(problemsOf(channel)).toEqual([]);
  });

  it.each([
    {
      because: "its kind is misspelt",
      channel: { ...audit, kind: "webhok" },
      problem: `channels[0].kind | "webhok" | expected a channel whose kind is one of ${kinds}; did you mean webhook?`,
    },
    {
      because: "it has no kind",
      channel: { name: "audit" },
      problem: `channels[0].kind | – | is missing; expected a channel whose kind is one of ${kinds}`,
    },
    {
      because: "a group of events is misspelt",
      channel: { ...audit, events: ["failures", "rolouts"] },
      problem:
        'channels[0].events[1] | "rolouts" | expected one of rollouts, failures, holds, approvals, versions, bases, tiers, workloads, registries, all, or the name of a fact; did you mean rollouts?',
    },
    {
      because: "the name of a fact is misspelt",
      channel: { ...audit, events: ["RoledBack"] },
      problem:
        'channels[0].events[0] | "RoledBack" | expected one of rollouts, failures, holds, approvals, versions, bases, tiers, workloads, registries, all, or the name of a fact; did you mean RolledBack?',
    },
    {
      because: "a key is misspelt",
      channel: { ...audit, minSeverty: "error" },
      problem: "channels[0].minSeverty | – | is not a known key here; did you mean minSeverity?",
    },
    {
      because: "its kind has no such key, and the value stays unseen",
      channel: { ...audit, token: "xoxb-1-canary" },
      problem:
        "channels[0].token | – | is not a known key here; known are name, events, minSeverity, clusters, namespaces, workloads, kind, address, format, allowNetworks, secretEnv, secretFile, secretParameter, secretId",
    },
    {
      because: "a key of its namespaces is misspelt",
      channel: { ...audit, namespaces: { alow: ["shop"] } },
      problem: "channels[0].namespaces.alow | – | is not a known key here; did you mean allow?",
    },
    {
      because: "its secret has two places",
      channel: { ...audit, secretId: "lookout/hook" },
      problem: "channels[0].secretId | – | the secret has one place, and secretEnv names it",
    },
    {
      because: "a key is written in place of a variable",
      channel: { ...placeless, secretEnv: "whsec_Y2FuYXJ5+/=" },
      problem:
        "channels[0].secretEnv | – | expected the name of an environment variable (letters, digits and underscores), not its value",
    },
    {
      because: "an integration key is written in place of a variable",
      channel: { ...placeless, secretEnv: "c4a4a5a6a7a8a9a0c1a2a3a4a5a6a7a8" },
      problem: `channels[0].secretEnv | – | ${itself}`,
    },
    {
      because: "a token is written in place of a file",
      channel: { ...placeless, secretFile: "xoxb-1-canary" },
      problem: `channels[0].secretFile | – | ${itself}`,
    },
    {
      because: "an address is written in place of a file",
      channel: { ...placeless, secretFile: "https://hooks.example.com/services/canary" },
      problem: `channels[0].secretFile | – | ${itself}`,
    },
    {
      because: "a key is written in place of a secret's id",
      channel: { ...placeless, secretId: "whsec_canary" },
      problem: `channels[0].secretId | – | ${itself}`,
    },
    {
      because: "an address is written in place of a parameter",
      channel: { ...placeless, secretParameter: "https://hooks.example.com/services/canary" },
      problem:
        "channels[0].secretParameter | – | expected the name of a parameter of SSM (letters, digits and ._-/), not its value",
    },
    {
      because: "its address has a password",
      channel: { ...audit, address: "https://user:canary@hooks.example.com" },
      problem: `channels[0].address | – | ${anAddress}`,
    },
    {
      because: "its address has a token",
      channel: { ...audit, address: "https://hooks.example.com/?token=canary" },
      problem: `channels[0].address | – | ${anAddress}`,
    },
    {
      because: "anybody on the way could read it",
      channel: { ...audit, address: "http://hooks.example.com" },
      problem: `channels[0].address | – | ${anAddress}`,
    },
    {
      because: "the file has no such cluster",
      channel: { ...audit, clusters: ["stage", "prd"] },
      problem:
        'channels[0].clusters[1] | "prd" | is no cluster of this file; its clusters are prod, stage; did you mean prod?',
    },
    {
      because: "no fact of its events is so severe",
      channel: { ...audit, events: ["rollouts"], minSeverity: "error" },
      problem:
        'channels[0].minSeverity | "error" | the channel tells from error on, and its events are warning at most, so it would never tell anything',
    },
    {
      because: "it denies each namespace that it allows",
      channel: { ...audit, namespaces: { allow: ["shop-a", "shop-b*"], deny: ["shop-*"] } },
      problem:
        "channels[0].namespaces | – | deny covers each namespace of allow, so the channel would never tell anything",
    },
    {
      because: "it denies all namespaces",
      channel: { ...audit, namespaces: { deny: ["*"] } },
      problem:
        "channels[0].namespaces | – | deny covers each namespace of allow, so the channel would never tell anything",
    },
    {
      because: "it tells nothing",
      channel: { ...audit, events: [] },
      problem: "channels[0].events | a list | expected at least one event",
    },
    {
      because: "a severity is no word of Lookout's",
      channel: { ...audit, minSeverity: "warn" },
      problem: 'channels[0].minSeverity | "warn" | expected debug, info, notice, warning, error, critical, action',
    },
  ])("is refused, because $because", ({ channel, problem }) => {
    expect(problemsOf(channel)).toEqual([problem]);
  });

  it("may name any cluster if the file names none, because a flag may add them", () => {
    expect(parseConfiguration({ channels: [{ ...audit, clusters: ["local"] }] })).toMatchObject({ ok: true });
  });

  it("never shows a text that may be a secret", () => {
    const canary = "canary-0123456789abcdef";
    const keys = ["secretEnv", "secretFile", "secretParameter", "secretId", "address", "token", "allowNetworks"];
    const forms = [
      `whsec_${canary}`,
      `xoxb-${canary}`,
      `https://hooks.example.com/?t=${canary}`,
      `${canary} ${canary}`,
    ];
    const all = keys.flatMap((key) => forms.map((form) => problemsOf({ ...placeless, [key]: form }).join("\n")));

    expect(all.filter((text) => text.includes(canary))).toEqual([]);
    // Only a path may have spaces.
    expect(all.filter((text) => text === "")).toHaveLength(1);
  });
});

describe("the channels of lookout.yaml", () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_one, index) => ({ ...audit, name: `audit-${index}` }));

  it("are at most 20", () => {
    expect(problemsOf(...many(20))).toEqual([]);
    expect(problemsOf(...many(21))).toEqual(["channels | – | expected at most 20 channels"]);
  });

  it("have one name each", () => {
    expect(problemsOf(audit, { ...audit, secretEnv: "OTHER" })).toEqual([
      'channels[1].name | "audit" | is already the name of entry [0] of this list',
    ]);
  });

  it("have problems of their own: one does not hide those of another", () => {
    expect(problemsOf({ ...audit, kind: "webhok" }, { ...audit, name: "b", clusters: ["prd"] })).toHaveLength(2);
  });
});

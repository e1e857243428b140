import { describe, expect, it } from "vitest";
import { registryRows } from "#app/api/registry-rows";
import { registryChecks } from "#contracts/api/registries";
import { epochMs, minutes, plus, seconds } from "#domain/shared/time";
import type { RegistryInspection } from "#ports/registry";

const now = epochMs(Date.parse("2026-11-21T12:00:00Z"));
const host = "registry.test";
const answer = { scheme: "https", statedLimit: {}, serverTime: now } as const;
const tags = { kind: "tags", tags: ["1.0.0", "1.1.0"] } as const;
const rowsOf = (
  inspection: RegistryInspection,
  entry?: { readonly caFile?: string; readonly allowPrivateNetwork?: boolean },
) => registryRows({ host, repository: "shop/api", inspection, entry: entry && { name: host, host, ...entry } }, now);
/** Each row in one text, with the reason of a failed one. */
const said = (...asked: Parameters<typeof rowsOf>) =>
  rowsOf(...asked).map(
    ({ check, result, detail, reason }) => `${check} ${result}${reason ? ` (${reason.reason})` : ""}: ${detail}`,
  );

describe("the checks of a registry", () => {
  it("all succeed when the registry answers", () => {
    const statedLimit = { limit: 100, remaining: 76, resetMs: minutes(6) };

    expect(
      said({ listing: tags, credentialFrom: "the entry", answer: { ...answer, statedLimit } }, { caFile: "ca.pem" }),
    ).toEqual([
      "address ok: the registry answers",
      "certificate ok: the certificate is trusted, by the system's authorities or those of ca.pem",
      "authentication ok: the registry accepts the credential of the entry",
      "tags ok: shop/api has 2 tags",
      "limits ok: the registry states 76 left of 100 requests; the limit resets in 6m",
      "clock ok: the clocks differ by at most 0s",
    ]);
  });

  it("over HTTP warn that others can read the requests", () => {
    expect(
      said({ listing: tags, answer: { ...answer, scheme: "http" } }, { allowPrivateNetwork: true }).slice(0, 3),
    ).toEqual([
      "address ok: the registry answers, and allowPrivateNetwork allows any address",
      "certificate ok: no certificate: insecure allows HTTP, which others can read and change",
      "authentication ok: the registry asks for no credential",
    ]);
  });

  it.each([
    {
      when: "has an address that is not allowed",
      inspection: { listing: { kind: "not-allowed", detail: "an address that is not public" } },
      rows: [
        "failed (registry-not-allowed)",
        "not-checked",
        "not-checked",
        "not-checked",
        "not-checked",
        "not-checked",
      ],
      changes: ["address: the entry of registry.test in registries: allowPrivateNetwork: true"],
    },
    {
      when: "can't be reached",
      inspection: { listing: { kind: "unreachable", detail: "ECONNREFUSED", isOutage: true } },
      rows: [
        "failed (registry-unreachable)",
        "not-checked",
        "not-checked",
        "not-checked",
        "not-checked",
        "not-checked",
      ],
      changes: [
        "address: the entry of registry.test in registries: endpoint or proxy, if the registry has another address",
      ],
    },
    {
      when: "has a certificate of an unknown authority",
      inspection: {
        listing: { kind: "unreachable", detail: "SELF_SIGNED", isOutage: true, reason: "registry-not-trusted" },
      },
      rows: ["ok", "failed (registry-not-trusted)", "not-checked", "not-checked", "not-checked", "not-checked"],
      changes: ["certificate: the entry of registry.test in registries: caFile or caParameter"],
    },
    {
      when: "refuses the credential",
      inspection: { listing: { kind: "denied", detail: "answered 401" }, answer },
      rows: ["ok", "ok", "failed (registry-denied)", "not-checked", "ok", "ok"],
      changes: [
        "authentication: the entry of registry.test in registries: username with passwordEnv, passwordFile, passwordParameter or passwordId",
      ],
    },
    {
      when: "has no such repository",
      inspection: { listing: { kind: "not-found" }, answer },
      rows: ["ok", "ok", "ok", "failed (repository-not-found)", "ok", "ok"],
      changes: [],
    },
    {
      when: "answers 500",
      inspection: { listing: { kind: "unreachable", detail: "answered 500", isOutage: true }, answer },
      rows: ["ok", "ok", "not-checked", "failed (registry-unreachable)", "ok", "ok"],
      changes: [],
    },
    {
      when: "allows no more requests",
      inspection: { listing: tags, answer: { ...answer, statedLimit: { remaining: 0, resetMs: seconds(30) } } },
      rows: ["ok", "ok", "ok", "ok", "failed (registry-throttled)", "ok"],
      changes: ["limits: the entry of registry.test in registries: rateLimiting and circuitBreaker"],
    },
    {
      when: "is not asked now",
      inspection: { listing: { kind: "unreachable", detail: "asked for a pause", reason: "registry-throttled" } },
      rows: ["not-checked", "not-checked", "not-checked", "not-checked", "failed (registry-throttled)", "not-checked"],
      changes: ["limits: the entry of registry.test in registries: rateLimiting and circuitBreaker"],
    },
    {
      when: "has a clock that is two minutes ahead",
      inspection: { listing: tags, answer: { ...answer, serverTime: plus(now, minutes(2)) } },
      rows: ["ok", "ok", "ok", "ok", "ok", "failed (registry-clock-differs)"],
      changes: [],
    },
  ] satisfies readonly {
    readonly when: string;
    readonly inspection: RegistryInspection;
    readonly rows: readonly string[];
    readonly changes: readonly string[];
  }[])("that $when name the reason and the key of lookout.yaml", ({ inspection, rows, changes }) => {
    const found = rowsOf(inspection);

    expect(found.map(({ check }) => check)).toEqual(registryChecks);
    expect(found.map(({ result, reason }) => (reason ? `${result} (${reason.reason})` : result))).toEqual(rows);
    expect(found.flatMap(({ check, change }) => (change === undefined ? [] : [`${check}: ${change}`]))).toEqual(
      changes,
    );
  });
});

import { describe, expect, it } from "vitest";
import { leaseTokens, type RegistryLimit } from "#domain/registry/lease";
import { takersOf } from "#domain/registry/line";
import { epochMs, type EpochMs, plus, seconds } from "#domain/shared/time";

const noon = epochMs(Date.parse("2026-11-27T12:00:00Z"));
const rate = { requestsPerSecond: 10, burst: 20 };

/** A registry whose tokens many namespaces want, as processes store them. */
function contended() {
  let stored: RegistryLimit | undefined;
  const ask = (payer: string, now: EpochMs): number => {
    const lease = leaseTokens(stored, rate, now, [payer]);
    if (lease.kind !== "leased" && lease.kind !== "empty") throw new Error(lease.kind);
    if (lease.limit !== undefined) stored = lease.limit;
    return lease.kind === "leased" ? lease.tokens : 0;
  };
  return { ask, stored: () => stored };
}

describe("namespaces that want more than a registry's tokens", () => {
  it.each([1, 2, 5, 20])("let a new namespace have the next token, beside %i that never stop", (count) => {
    const { ask } = contended();
    const greedy = Array.from({ length: count }, (_, index) => `prod/greedy-${index}`);
    let now = noon;
    for (let round = 0; round < 600; round += 1) {
      for (const one of greedy) ask(one, now);
      now = plus(now, seconds(0.05));
    }

    const waits: number[] = [];
    for (let request = 0; request < 3; request += 1) {
      const began = now;
      while (ask("prod/victim", now) === 0) {
        for (const one of greedy) ask(one, now);
        now = plus(now, seconds(0.05));
      }
      waits.push(now - began);
    }

    expect(waits.filter((wait) => wait > 200)).toEqual([]);
  });

  it("don't wait for a new namespace for more than some seconds, however long they used tokens", () => {
    const { ask } = contended();
    let now = noon;
    const pass = (payers: readonly string[], rounds: number): Map<string, number> => {
      const got = new Map<string, number>();
      for (let round = 0; round < rounds; round += 1) {
        for (const one of payers) got.set(one, (got.get(one) ?? 0) + ask(one, now));
        now = plus(now, seconds(0.05));
      }
      return got;
    };
    pass(["prod/a", "prod/b"], 36_000);
    const firstSeconds = pass(["prod/a", "prod/b", "prod/new"], 200);
    const later = pass(["prod/a", "prod/b", "prod/new"], 1_200);

    expect(firstSeconds.get("prod/new")).toBeGreaterThan(30);
    expect([...later.values()].filter((tokens) => tokens < 150)).toEqual([]);
  });

  it("get about equal parts", () => {
    const { ask } = contended();
    const got = new Map<string, number>();
    let now = noon;
    for (let round = 0; round < 2_000; round += 1) {
      // The first asks ten times as often.
      for (const one of [...Array<string>(10).fill("prod/a"), "prod/b", "prod/c"])
        got.set(one, (got.get(one) ?? 0) + ask(one, now));
      now = plus(now, seconds(0.05));
    }
    const parts = [...got.values()];

    expect(Math.max(...parts) - Math.min(...parts)).toBeLessThan(60);
    // All tokens of 100 s are used, besides the burst.
    expect(parts.reduce((sum, tokens) => sum + tokens, 0)).toBeGreaterThan(980);
  });

  it("let one namespace have all tokens again half a minute after the last had to wait", () => {
    const { ask, stored } = contended();
    for (let round = 0; round < 30; round += 1) for (const one of ["prod/a", "prod/b"]) ask(one, noon);
    const later = plus(noon, seconds(31));

    expect(ask("prod/a", later)).toBe(10);
    expect(stored()?.line).toBeUndefined();
  });

  it("let a request of several namespaces pay with the one that used least", () => {
    const { ask, stored } = contended();
    let now = noon;
    for (let round = 0; round < 60; round += 1) {
      for (const one of ["prod/a", "prod/b"]) ask(one, now);
      now = plus(now, seconds(0.1));
    }
    const lease = leaseTokens(stored(), rate, now, ["prod/a", "prod/b", "prod/new"]);

    expect(lease).toMatchObject({ kind: "leased", taker: takersOf(["prod/new"])[0] });
  });

  it("are at most 60 in the stored line", () => {
    const { ask, stored } = contended();
    for (let index = 0; index < 200; index += 1) ask(`prod/n${index}`, noon);

    expect(Object.keys(stored()?.line?.takers ?? {})).toHaveLength(60);
    expect(JSON.stringify(stored()).length).toBeLessThan(4_000);
  });

  it("don't wait for a namespace that gave up", () => {
    const { ask } = contended();
    let now = noon;
    for (let round = 0; round < 30; round += 1) ask("prod/a", now);
    now = plus(now, seconds(0.1));
    ask("prod/a", now);
    ask("prod/b", now);

    expect(ask("prod/a", plus(now, seconds(0.1)))).toBe(0);
    expect(ask("prod/a", plus(now, seconds(5.1)))).toBeGreaterThan(0);
  });
});

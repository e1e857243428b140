import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { leaseTokens, type RegistryLimit, tokensIn } from "#domain/registry/lease";
import { rulesOf } from "#domain/registry/rules";
import { epochMs, type EpochMs, hours, minutes, plus, seconds } from "#domain/shared/time";

const noon = epochMs(Date.parse("2026-11-21T12:00:00Z"));
const rate = { requestsPerSecond: 10, burst: 20 };

/** Leases until the bucket is empty. */
function leaseAll(limit: RegistryLimit | undefined, now: EpochMs) {
  let stored = limit;
  let tokens = 0;
  for (;;) {
    const lease = leaseTokens(stored, rate, now);
    if (lease.kind !== "leased") return { stored, tokens, lease };
    stored = lease.limit;
    tokens += lease.tokens;
  }
}

describe("the tokens of a registry", () => {
  it("allow a burst first, then the tokens of one second for each lease", () => {
    expect(leaseTokens(undefined, rate, noon)).toMatchObject({
      kind: "leased",
      tokens: 10,
      until: plus(noon, seconds(10)),
    });
    expect(leaseAll(undefined, noon).tokens).toBe(20);
  });

  it("are used up after a burst, until time adds the next", () => {
    const { stored, lease } = leaseAll(undefined, noon);
    expect(lease).toMatchObject({ kind: "empty", until: plus(noon, seconds(0.1)) });
    expect(leaseTokens(stored, rate, plus(noon, seconds(0.1)))).toMatchObject({ kind: "leased", tokens: 1 });
    expect(tokensIn(stored, rate, plus(noon, seconds(1)))).toBe(10);
    expect(tokensIn(stored, rate, plus(noon, minutes(1)))).toBe(20);
  });

  it("are delayed by one interval at most when another clock is ahead", () => {
    const ahead: RegistryLimit = { version: 1, emptyAt: plus(noon, hours(1)) };
    expect(leaseTokens(ahead, rate, noon)).toMatchObject({ kind: "empty", until: plus(noon, seconds(0.1)) });
  });

  it("never allow more than the burst and the rate", () => {
    const anyRate = fc.record({
      requestsPerSecond: fc.integer({ min: 1, max: 1_000 }),
      burst: fc.integer({ min: 1, max: 2_000 }),
    });
    fc.assert(
      fc.property(anyRate, fc.array(fc.integer({ min: 0, max: 5_000 }), { maxLength: 60 }), (rate, pauses) => {
        let [now, leased] = [noon, 0];
        let stored: RegistryLimit | undefined;
        for (const pause of pauses) {
          now = epochMs(now + pause);
          const lease = leaseTokens(stored, rate, now);
          if (lease.kind === "leased") [stored, leased] = [lease.limit, leased + lease.tokens];
          else expect(lease.until).toBeLessThanOrEqual(now + 1_000 / rate.requestsPerSecond + 1);
        }
        expect(leased).toBeLessThanOrEqual(rate.burst + ((now - noon) * rate.requestsPerSecond) / 1_000);
      }),
    );
  });
});

describe("the rules of a registry", () => {
  it.each([
    ["docker.io", 10],
    ["ghcr.io", 10],
    ["shop.azurecr.io", 10],
  ])("without an entry limit %s to %i requests a second", (host, requestsPerSecond) => {
    expect(rulesOf(host, []).rateLimiting).toEqual({ requestsPerSecond, burst: 2 * requestsPerSecond });
  });

  it.each(["123456789012.dkr.ecr.eu-central-1.amazonaws.com", "registry.internal:5000", "docker.io.evil.example"])(
    "without an entry do not limit %s, and are read again in ten seconds",
    (host) => {
      const { rateLimiting } = rulesOf(host, []);

      expect(rateLimiting).toBeUndefined();
      expect(leaseTokens(undefined, rateLimiting, noon)).toEqual({ kind: "unlimited", until: plus(noon, seconds(10)) });
    },
  );
});

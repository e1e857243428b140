import { describe, expect, it } from "vitest";
import { memoryMetrics } from "#adapters/memory/metrics";
import { statePorts } from "#runtime/local/state";
import { limitedRegistry } from "#app/shared/limited-registry";
import { type LimitedEntry, rulesOf } from "#domain/registry/rules";
import { durationMs, epochMs, minutes, seconds } from "#domain/shared/time";
import type { ConfigRead, Registry } from "#ports/registry";
import { handClock } from "#test/app/by-hand";
import { countedDatabase } from "#test/state";

const shop = { registry: "registry.test", repository: "shop/api" };
const digest = `sha256:${"a".repeat(64)}`;
const { signal } = new AbortController();
const spare = { spareWithin: durationMs(500) };
const notAsked = {
  kind: "unreachable",
  reason: "registry-not-asked",
  detail: "registry.test has no time for this request",
};
const fine: ConfigRead = { kind: "config", platform: "linux/amd64" };
const outage: ConfigRead = { kind: "unreachable", detail: "registry.test could not be reached", isOutage: true };
const limited: ConfigRead = {
  ...{ kind: "unreachable", detail: "registry.test answered 429" },
  ...{ reason: "registry-throttled", retryAfterMs: 60_000 },
};

function setUp(entries: readonly LimitedEntry[] = []) {
  const clock = handClock(epochMs(Date.parse("2026-11-21T12:00:00Z")));
  const { registryLimits } = statePorts(countedDatabase("abc123"));
  const now = { answer: fine, sent: 0, paused: 0 };
  const registry = {
    answers: async () => ({ kind: now.answer === outage ? "no-answer" : "answers" }),
    config: async () => {
      now.sent += 1;
      return now.answer;
    },
  } as Partial<Registry> as Registry;
  const limits = limitedRegistry({
    ...{ registry, registryLimits, clock },
    rulesOf: (host) => rulesOf(host, entries),
    pause: async () => void (now.paused += 1),
  })(memoryMetrics());
  const ask = (asking = {}) => limits.config(shop, digest, signal, asking);
  return { clock, now, ask, stored: () => registryLimits.read(shop.registry) };
}

describe("a request whose answer the caller can do without", () => {
  it("is sent while the registry is well", async () => {
    const { ask } = setUp();

    expect(await ask(spare)).toEqual(fine);
  });

  it("opens no circuit breaker and begins no outage, however often it fails", async () => {
    const { ask, now, stored } = setUp();
    now.answer = outage;
    for (let times = 0; times < 50; times += 1) expect(await ask(spare)).toEqual(outage);

    const { breaker, outage: noted } = await stored();
    expect([breaker, noted]).toEqual([undefined, undefined]);
    now.answer = fine;
    expect(await ask()).toEqual(fine);
  });

  it("is not sent while the circuit breaker is open, and is no probe after it", async () => {
    const { ask, now, clock } = setUp();
    now.answer = outage;
    for (let times = 0; times < 50; times += 1) await ask();
    const sent = now.sent;
    expect(await ask(spare)).toMatchObject({ kind: "unreachable", reason: "registry-circuit-open" });
    clock.turn(minutes(30));
    now.answer = fine;

    expect(await ask(spare)).toEqual(notAsked);
    expect(now.sent).toBe(sent);
    expect(await ask()).toEqual(fine);
  });

  it("is not sent during a pause, and is no probe after it", async () => {
    const { ask, now, clock } = setUp();
    now.answer = limited;
    await ask();
    expect(await ask(spare)).toMatchObject({ kind: "unreachable", reason: "registry-throttled" });
    clock.turn(seconds(61));
    now.answer = fine;

    expect(await ask(spare)).toEqual(notAsked);
    expect(now.sent).toBe(1);
    expect(await ask()).toEqual(fine);
    expect(await ask(spare)).toEqual(fine);
  });

  it("does not wait for the limit of requests per second", async () => {
    const { ask, now } = setUp([{ host: shop.registry, rateLimiting: { requestsPerSecond: 1, burst: 1 } }]);
    await ask();

    expect(await ask(spare)).toEqual(notAsked);
    expect(now).toMatchObject({ sent: 1, paused: 0 });
  });
});

import { beforeEach, describe, expect, it } from "vitest";
import { memoryMetrics } from "#adapters/memory/metrics";
import { statePorts } from "#runtime/local/state";
import { limitedRegistry } from "#app/shared/limited-registry";
import { type LimitedEntry, rulesOf } from "#domain/registry/rules";
import { durationMs, epochMs, hours, minutes, plus, seconds } from "#domain/shared/time";
import type { Measurement } from "#domain/update/effects/metrics";
import { TransientError } from "#ports/errors";
import type { Registry, TagListing } from "#ports/registry";
import { handClock } from "#test/app/by-hand";
import { countedDatabase } from "#test/state";

const noon = epochMs(Date.parse("2026-11-21T12:00:00Z"));
const shop = { registry: "registry.test", repository: "shop/api" };
const other = { registry: "other.test", repository: "shop/web" };
const tags: TagListing = { kind: "tags", tags: ["1.0.0"] };
const outage: TagListing = { kind: "unreachable", detail: "registry.test could not be reached", isOutage: true };
const badGateway: TagListing = {
  kind: "unreachable",
  detail: "registry.test answered 502",
  isOutage: true,
  status: 502,
};
const limit = {
  kind: "unreachable",
  reason: "registry-throttled",
  detail: "registry.test answered 429: too many requests",
  status: 429,
} as const;
const never = new AbortController().signal;

/** Two registries behind the gate of several processes, which share one database. */
function setUp(entries: readonly LimitedEntry[] = [], pages = 1) {
  const clock = handClock(noon);
  const database = countedDatabase("abc123");
  const measured: Measurement[] = [];
  const asked: string[] = [];
  const answers = new Map<string, () => TagListing | Promise<TagListing>>();
  /** Hosts that answer for themselves, and hosts about which the process can't ask. */
  const wellHosts = new Set<string>();
  const unaskable = new Set<string>();
  const registry = {
    answers: async ({ registry }) => {
      if (unaskable.has(registry)) throw new TransientError("the caller cancelled the request");
      return { kind: wellHosts.has(registry) ? "answers" : "no-answer" };
    },
    tags: async ({ registry }, _signal, { beforePage } = {}) => {
      asked.push(registry);
      for (let page = 1; page < pages; page += 1) {
        const refusal = await beforePage?.();
        if (refusal !== undefined) return refusal;
        asked.push(registry);
      }
      return (await answers.get(registry)?.()) ?? tags;
    },
  } as Partial<Registry> as Registry;
  const process = (): Registry =>
    limitedRegistry({
      registry,
      registryLimits: statePorts(database).registryLimits,
      rulesOf: (host) => rulesOf(host, entries),
      clock,
      pause: (ms, signal) => {
        clock.turn(durationMs(ms));
        return signal.aborted ? Promise.reject(new Error("aborted")) : Promise.resolve();
      },
    })(memoryMetrics(measured));
  return { clock, database, measured, asked, answers, wellHosts, unaskable, process };
}

describe("a registry that answers", () => {
  it("costs one write of the table for a hundred requests", async () => {
    const { process, database, asked } = setUp([
      { host: "registry.test", rateLimiting: { requestsPerSecond: 100, burst: 200 } },
    ]);
    const registry = process();
    await registry.tags(shop, never);
    expect(database.writes()).toBe(1);

    for (let request = 0; request < 99; request += 1) expect(await registry.tags(shop, never)).toEqual(tags);
    expect(database.writes()).toBe(1);
    expect(asked).toHaveLength(100);
  });

  it("is read again after the clock was ahead, so that the process learns what others stored", async () => {
    const { process, clock, answers, asked } = setUp([
      { host: "registry.test", circuitBreaker: { enabled: true, failureThreshold: 1, timeout: minutes(5) } },
    ]);
    const [one, two] = [process(), process()];
    clock.turn(hours(12_000));
    await one.tags(shop, never);
    clock.turn(hours(-12_000));
    answers.set("registry.test", () => badGateway);
    await two.tags(shop, never);

    expect(await one.tags(shop, never)).toMatchObject({ kind: "unreachable", reason: "registry-circuit-open" });
    expect(asked).toHaveLength(2);
  });

  it("costs no write of the table without a limit", async () => {
    const { process, database, asked } = setUp();
    const registry = process();
    for (let request = 0; request < 100; request += 1) expect(await registry.tags(shop, never)).toEqual(tags);

    expect(database.writes()).toBe(0);
    expect(asked).toHaveLength(100);
  });

  it("gets no more requests than its entry allows from three processes together", async () => {
    const { process, clock, asked } = setUp([
      { host: "registry.test", rateLimiting: { requestsPerSecond: 5, burst: 10 } },
    ]);
    const processes = [process(), process(), process()];
    for (let request = 0; request < 40; request += 1) await processes[request % 3]?.tags(shop, never);
    expect(asked).toHaveLength(40);
    expect(clock.now() - noon).toBeGreaterThanOrEqual(6_000);
    expect(clock.now() - noon).toBeLessThanOrEqual(10_000);
  });

  it("gets the pages of a listing no faster than its entry allows", async () => {
    const limit = [{ host: "registry.test", rateLimiting: { requestsPerSecond: 5, burst: 10 } }];
    const { process, clock, asked } = setUp(limit, 40);

    expect(await process().tags(shop, never)).toEqual(tags);

    expect(asked).toHaveLength(40);
    expect(clock.now() - noon).toBeGreaterThanOrEqual(6_000);
  });

  it("ends a listing with more pages than its entry allows, and delays no other request", async () => {
    const limit = [{ host: "registry.test", rateLimiting: { requestsPerSecond: 0.05, burst: 2 } }];
    const { process, clock, asked } = setUp(limit, 5);
    expect(await process().tags(shop, never)).toMatchObject({ reason: "registry-throttled" });
    expect(asked).toHaveLength(2);

    clock.turn(minutes(2));
    expect(await process().tags(shop, never)).toMatchObject({ reason: "registry-throttled" });
    expect(asked).toHaveLength(4);
  });

  it("delays a request by ten seconds at most", async () => {
    const { process, asked } = setUp([{ host: "registry.test", rateLimiting: { requestsPerSecond: 1, burst: 1 } }]);
    const registry = process();
    const answers = await Promise.all(Array.from({ length: 40 }, () => registry.tags(shop, never)));
    const refused = answers.filter(({ kind }) => kind === "unreachable");
    expect(asked.length + refused.length).toBe(40);
    expect(refused[0]).toEqual({
      kind: "unreachable",
      reason: "registry-throttled",
      detail: "registry.test is limited to 1 requests per second",
      retryAfterMs: 1_000,
    });
  });

  it("ends the wait of a caller that cancels", async () => {
    const { process } = setUp([{ host: "registry.test", rateLimiting: { requestsPerSecond: 1, burst: 1 } }]);
    const registry = process();
    await registry.tags(shop, never);
    await expect(registry.tags(shop, AbortSignal.abort())).rejects.toBeInstanceOf(TransientError);
  });
});

describe("a registry that fails", () => {
  let bed: ReturnType<typeof setUp>;
  beforeEach(() => {
    bed = setUp();
    bed.answers.set("registry.test", () => outage);
  });
  const failFiveTimes = async (): Promise<void> => {
    const processes = [bed.process(), bed.process()];
    for (let request = 0; request < 5; request += 1) await processes[request % 2]?.tags(shop, never);
  };

  it("gets no requests for a minute after five failures in a row, with the reason and the end", async () => {
    await failFiveTimes();
    bed.clock.turn(seconds(20));
    const writes = bed.database.writes();
    const late = bed.process();
    expect(await late.tags(shop, never)).toMatchObject({ reason: "registry-circuit-open", retryAfterMs: 40_000 });
    expect(await late.tags(shop, never)).toEqual({
      kind: "unreachable",
      reason: "registry-circuit-open",
      detail:
        "Lookout does not ask registry.test until 2026-11-21T12:01:00.000Z, because its requests kept failing: registry.test could not be reached",
      retryAfterMs: 40_000,
    });
    expect(bed.asked).toHaveLength(5);
    // The first of them leased tokens before it knew.
    expect(bed.database.writes()).toBeLessThanOrEqual(writes + 1);
    expect(bed.measured).toContainEqual({
      name: "RegistryRefusals",
      value: 1,
      about: { registry: "registry.test", reason: "registry-circuit-open", openSeconds: "0" },
    });
  });

  it("gets one probe of ten processes after the minute, and all requests after its answer", async () => {
    await failFiveTimes();
    const processes = Array.from({ length: 10 }, () => bed.process());
    await Promise.all(processes.map((each) => each.tags(shop, never)));
    bed.clock.turn(minutes(1));
    const probe = Promise.withResolvers<TagListing>();
    bed.asked.length = 0;
    bed.answers.set("registry.test", () => probe.promise);
    const answers = processes.map((each) => each.tags(shop, never));
    const first = await Promise.all(
      answers.map((answer) => Promise.race([answer, new Promise((r) => setTimeout(r, 50))])),
    );
    expect(first.filter((answer) => answer === undefined)).toHaveLength(1);
    expect(bed.asked).toEqual(["registry.test"]);

    probe.resolve(tags);
    expect((await Promise.all(answers)).filter(({ kind }) => kind === "tags")).toHaveLength(1);
    bed.clock.turn(seconds(30));
    expect(await Promise.all(processes.map((each) => each.tags(shop, never)))).toEqual(processes.map(() => tags));
  });

  it("gets no requests for another minute after a failed probe", async () => {
    await failFiveTimes();
    const registry = bed.process();
    bed.clock.turn(minutes(1));
    expect(await registry.tags(shop, never)).toEqual(outage);
    expect(await registry.tags(shop, never)).toMatchObject({ reason: "registry-circuit-open", retryAfterMs: 60_000 });
    expect(bed.asked).toHaveLength(6);
  });

  it("does not delay another registry, even while it hangs", async () => {
    const hanging = Promise.withResolvers<TagListing>();
    bed.answers.set("registry.test", () => hanging.promise);
    const registry = bed.process();
    const hung = Array.from({ length: 20 }, () => registry.tags(shop, never));
    expect(await registry.tags(other, never)).toEqual(tags);

    hanging.resolve(outage);
    await Promise.all(hung);
    expect(await registry.tags(shop, never)).toMatchObject({ reason: "registry-circuit-open" });
    expect(await registry.tags(other, never)).toEqual(tags);
    expect(bed.clock.now()).toBe(noon);
  });

  it("gets requests for other repositories while one repository answers 502", async () => {
    const registry = bed.process();
    bed.answers.set("registry.test", () => badGateway);
    for (let request = 0; request < 20; request += 1) expect(await registry.tags(shop, never)).toEqual(badGateway);
    bed.answers.delete("registry.test");
    expect(await registry.tags({ ...shop, repository: "shop/web" }, never)).toEqual(tags);
  });

  it("gets no requests after five of its repositories and the registry itself answer 502", async () => {
    const registry = bed.process();
    bed.answers.set("registry.test", () => badGateway);
    for (let index = 0; index < 5; index += 1) await registry.tags({ ...shop, repository: `shop/${index}` }, never);
    expect(await registry.tags(shop, never)).toMatchObject({ reason: "registry-circuit-open" });
  });

  it.each([
    { which: "five repositories that are answered 502", answer: badGateway, repositories: 5 },
    { which: "one repository whose listing never ends", answer: outage, repositories: 1 },
  ])(
    "gets the requests of other tenants beside a tenant with $which, while the registry itself answers",
    async ({ answer, ...of }) => {
      const registry = bed.process();
      bed.wellHosts.add("registry.test");
      const asks = async (name: typeof shop): Promise<TagListing> => {
        bed.answers.set("registry.test", () => (name.repository.startsWith("evil/") ? answer : tags));
        return registry.tags(name, never);
      };
      for (let request = 0; request < 30; request += 1)
        await asks({ ...shop, repository: `evil/${request % of.repositories}` });

      expect(await asks(shop)).toEqual(tags);
      expect(bed.measured).toEqual([]);
    },
  );

  it("gets all requests again after the registry itself answers, even if the probe was for a failing repository", async () => {
    await failFiveTimes();
    const registry = bed.process();
    bed.clock.turn(minutes(1));
    bed.wellHosts.add("registry.test");
    bed.answers.set("registry.test", () => badGateway);
    expect(await registry.tags({ ...shop, repository: "evil/1" }, never)).toEqual(badGateway);

    bed.answers.delete("registry.test");
    expect(await registry.tags(shop, never)).toEqual(tags);
  });

  it("keeps its count of failures while the registry itself can't be asked", async () => {
    const registry = bed.process();
    bed.unaskable.add("registry.test");
    for (let request = 0; request < 10; request += 1) expect(await registry.tags(shop, never)).toEqual(outage);

    bed.unaskable.clear();
    expect(await registry.tags(shop, never)).toEqual(outage);
    expect(await registry.tags(shop, never)).toMatchObject({ reason: "registry-circuit-open" });
  });

  it("still gets requests after faults of one repository or a refused credential", async () => {
    const registry = bed.process();
    for (const answer of [
      { kind: "unreachable", detail: "registry.test sent an invalid page of its tags" },
      { kind: "denied", detail: "registry.test answered 401" },
    ] as const) {
      bed.answers.set("registry.test", () => answer);
      for (let request = 0; request < 10; request += 1) expect(await registry.tags(shop, never)).toEqual(answer);
    }
  });
});

function causeOf(answer: TagListing): string {
  return "detail" in answer ? answer.detail : "registry.test states that no requests are left (ratelimit-remaining: 0)";
}

describe("a registry that asks for a pause", () => {
  it.each([
    ["by 429", { ...limit, retryAfterMs: 30_000 }, { until: plus(noon, seconds(30)) }],
    ["by 503 and Retry-After", { ...outage, retryAfterMs: 30_000 }, {}],
    ["by its ratelimit headers", { ...tags, pauseMs: 30_000 }, {}],
  ] as const)("%s gets no requests for this repository until then", async (_, answer, end) => {
    const { process, answers, asked, clock, measured } = setUp();
    answers.set("registry.test", () => answer);
    const registry = process();
    expect(await registry.tags(shop, never)).toEqual({ ...answer, ...end });
    for (const each of [registry, process()])
      expect(await each.tags(shop, never)).toEqual({
        kind: "unreachable",
        reason: "registry-throttled",
        detail: `Lookout does not ask registry.test/shop/api until 2026-11-21T12:00:30.000Z: ${causeOf(answer)}`,
        retryAfterMs: 30_000,
        until: plus(noon, seconds(30)),
      });
    expect(asked).toHaveLength(1);
    expect(measured).toEqual([
      { name: "RegistryRefusals", value: 1, about: { registry: "registry.test", reason: "registry-throttled" } },
    ]);

    answers.clear();
    clock.turn(seconds(30));
    expect(await registry.tags(shop, never)).toEqual(tags);
  });
});

describe("a registry with a limit", () => {
  it("is not counted as failing, and ends the probe of the circuit breaker", async () => {
    const { process, answers, clock } = setUp([{ host: "registry.test", circuitBreaker: { failureThreshold: 1 } }]);
    const registry = process();
    answers.set("registry.test", () => outage);
    await registry.tags(shop, never);
    clock.turn(minutes(1));
    answers.set("registry.test", () => ({ ...limit, retryAfterMs: 1_000 }));
    for (let request = 0; request < 10; request += 1) {
      expect(await registry.tags(shop, never)).toMatchObject({ reason: "registry-throttled" });
      clock.turn(seconds(1));
    }
  });
});

describe("the metrics of registries", () => {
  it("count each opened or still open breaker, and how long it was open", async () => {
    const { process, clock, measured, answers } = setUp([
      { host: "registry.test", circuitBreaker: { failureThreshold: 1 } },
    ]);
    const registry = process();
    answers.set("registry.test", () => outage);
    await registry.tags(shop, never);
    clock.turn(minutes(1));
    await registry.tags(shop, never);
    answers.delete("registry.test");
    clock.turn(minutes(1));
    await registry.tags(shop, never);

    const about = { registry: "registry.test", reason: "registry-circuit-open" };
    expect(measured).toEqual(
      ["0", "60"].map((openSeconds) => ({ name: "RegistryRefusals", value: 1, about: { ...about, openSeconds } })),
    );
  });
});

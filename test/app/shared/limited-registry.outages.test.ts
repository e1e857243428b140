import { describe, expect, it } from "vitest";
import { memoryMetrics } from "#adapters/memory/metrics";
import { statePorts } from "#runtime/local/state";
import { limitedRegistry } from "#app/shared/limited-registry";
import type { RegistryFact } from "#domain/registry/outage";
import { type LimitedEntry, rulesOf } from "#domain/registry/rules";
import { epochMs, minutes, plus, seconds } from "#domain/shared/time";
import type { Registry, TagListing } from "#ports/registry";
import { handClock } from "#test/app/by-hand";
import { countedDatabase } from "#test/state";

const noon = epochMs(Date.parse("2026-11-21T12:00:00Z"));
const shop = { registry: "registry.test", repository: "shop/api" };
const other = { registry: "other.test", repository: "shop/web" };
const tags: TagListing = { kind: "tags", tags: ["1.0.0"] };
const refused: TagListing = {
  kind: "unreachable",
  detail: "registry.test could not be reached (ECONNREFUSED)",
  isOutage: true,
};
const failing: TagListing = { ...refused, detail: "registry.test answered 502", status: 502 };
const { signal } = new AbortController();

/** Processes that share one database, and what they publish. */
function setUp(entries: readonly LimitedEntry[] = []) {
  const clock = handClock(noon);
  const database = countedDatabase("abc123");
  const registryLimits = statePorts(database).registryLimits;
  const facts: RegistryFact[] = [];
  const answers = new Map<string, TagListing | (() => Promise<TagListing>)>();
  const wellHosts = new Set<string>();
  const bus = { isDown: false };
  const registry = {
    answers: async ({ registry }) => ({ kind: wellHosts.has(registry) ? "answers" : "no-answer" }),
    tags: async ({ registry }) => {
      const answer = answers.get(registry) ?? tags;
      return typeof answer === "function" ? answer() : answer;
    },
  } as Partial<Registry> as Registry;
  const process = (): Registry =>
    limitedRegistry({
      registry,
      registryLimits,
      rulesOf: (host) => rulesOf(host, entries),
      clock,
      pause: async () => undefined,
      publish: async (published) => {
        if (bus.isDown) throw new Error("the bus is down");
        facts.push(...published);
      },
    })(memoryMetrics());
  const outage = async (host: string) => (await registryLimits.read(host)).outage;
  return { clock, database, facts, answers, wellHosts, bus, process, outage };
}

const told = (facts: readonly RegistryFact[]) => facts.map(({ name, registry }) => `${name} ${registry}`);

describe("an outage of a registry", () => {
  it("is published once at its start and once at its end, by four processes", async () => {
    const { process, clock, facts, answers } = setUp();
    const processes = [process(), process(), process(), process()];
    const askAll = () => Promise.all(processes.map((one) => one.tags(shop, signal)));
    await askAll();
    answers.set("registry.test", refused);
    await askAll();
    clock.turn(seconds(30));
    await askAll();
    const start = {
      registry: "registry.test",
      since: noon,
      detail: "registry.test could not be reached (ECONNREFUSED)",
    };
    const id = `registry.test/${noon}`;
    expect(facts).toEqual([{ ...start, name: "RegistryUnreachable", id: `${id}/RegistryUnreachable`, at: noon }]);

    answers.delete("registry.test");
    clock.turn(minutes(4));
    await askAll();
    await askAll();

    const endedAt = plus(plus(noon, seconds(30)), minutes(4));
    expect(facts.slice(1)).toEqual([
      { ...start, name: "RegistryRecovered", id: `${id}/RegistryRecovered`, at: endedAt },
    ]);
  });

  it("is stored at the first failure", async () => {
    const { process, answers, outage } = setUp();
    answers.set("registry.test", refused);
    await process().tags(shop, signal);

    expect(await outage("registry.test")).toMatchObject({ since: noon, version: 2 });
    expect(await outage("registry.test")).not.toHaveProperty("untold");
  });

  it("is seen by a process that answers no breaker", async () => {
    const { process, facts, answers } = setUp([{ host: "registry.test", circuitBreaker: { enabled: false } }]);
    answers.set("registry.test", refused);
    await process().tags(shop, signal);
    answers.delete("registry.test");
    await process().tags(shop, signal);

    expect(told(facts)).toEqual(["RegistryUnreachable registry.test", "RegistryRecovered registry.test"]);
  });

  it("says nothing of another registry", async () => {
    const { process, facts, answers, outage } = setUp();
    const one = process();
    answers.set("registry.test", refused);
    await one.tags(shop, signal);
    await one.tags(other, signal);

    expect(told(facts)).toEqual(["RegistryUnreachable registry.test"]);
    expect(await outage("other.test")).toBeUndefined();
  });

  it("has one name for all aliases of a registry", async () => {
    const { process, facts, answers } = setUp([{ host: "registry.test", aliases: ["pull.test"] }]);
    const one = process();
    answers.set("pull.test", refused);
    answers.set("registry.test", refused);
    await one.tags({ ...shop, registry: "pull.test" }, signal);
    await one.tags(shop, signal);

    expect(told(facts)).toEqual(["RegistryUnreachable registry.test"]);
  });

  it("is not the failure of one repository while the registry answers for itself", async () => {
    const { process, facts, answers, wellHosts } = setUp();
    const one = process();
    answers.set("registry.test", failing);
    wellHosts.add("registry.test");
    await one.tags(shop, signal);
    expect(facts).toEqual([]);

    wellHosts.clear();
    await one.tags(shop, signal);
    expect(told(facts)).toEqual(["RegistryUnreachable registry.test"]);

    wellHosts.add("registry.test");
    await one.tags(shop, signal);
    expect(told(facts)).toEqual(["RegistryUnreachable registry.test", "RegistryRecovered registry.test"]);
  });

  it.each([
    ["a refused credential", { kind: "denied", detail: "registry.test answered 401" }],
    [
      "a limit",
      { kind: "unreachable", reason: "registry-throttled", detail: "registry.test answered 429", status: 429 },
    ],
    ["a rule of lookout.yaml", { kind: "not-allowed", detail: "registry.test has an address that is not public" }],
  ] as const)("is not %s", async (_, answer) => {
    const { process, facts, answers } = setUp();
    answers.set("registry.test", answer);
    await process().tags(shop, signal);

    expect(facts).toEqual([]);
  });

  it("does not end with the answer to a request that was sent before, nor start with a late failure", async () => {
    const { process, clock, facts, answers } = setUp();
    const one = process();
    const late = (answer: TagListing): { readonly arrive: () => void; readonly done: Promise<unknown> } => {
      let arrive = (): void => undefined;
      const arrived = new Promise<TagListing>((resolve) => {
        arrive = () => {
          resolve(answer);
        };
      });
      answers.set("registry.test", () => arrived);
      return { done: one.tags(shop, signal), arrive: () => arrive() };
    };
    await one.tags(shop, signal);
    const good = late(tags);
    clock.turn(seconds(1));
    answers.set("registry.test", refused);
    await one.tags(shop, signal);
    good.arrive();
    await good.done;
    expect(told(facts)).toEqual(["RegistryUnreachable registry.test"]);

    const bad = late(refused);
    clock.turn(seconds(1));
    answers.delete("registry.test");
    await one.tags(shop, signal);
    bad.arrive();
    await bad.done;
    expect(told(facts)).toEqual(["RegistryUnreachable registry.test", "RegistryRecovered registry.test"]);
  });

  it("is published by a later request if the process ended, or the bus failed", async () => {
    const { process, clock, facts, answers, bus } = setUp();
    answers.set("registry.test", refused);
    bus.isDown = true;
    await expect(process().tags(shop, signal)).rejects.toThrow("the bus is down");
    bus.isDown = false;

    await process().tags(shop, signal);
    expect(facts).toEqual([]);

    clock.turn(seconds(30));
    const two = [process(), process()];
    await Promise.all(two.map((one) => one.tags(shop, signal)));
    expect(told(facts)).toEqual(["RegistryUnreachable registry.test"]);
    expect(facts[0]).toMatchObject({ at: noon, since: noon });
  });

  it("costs two writes at its start and two at its end, besides those of the breaker", async () => {
    const { process, answers, database } = setUp([{ host: "registry.test", circuitBreaker: { enabled: false } }]);
    const one = process();
    answers.set("registry.test", refused);
    for (let request = 0; request < 20; request += 1) await one.tags(shop, signal);
    expect(database.writes()).toBe(2);

    answers.delete("registry.test");
    for (let request = 0; request < 20; request += 1) await one.tags(shop, signal);
    expect(database.writes()).toBe(4);
  });
});

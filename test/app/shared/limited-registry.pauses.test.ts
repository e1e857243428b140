import { describe, expect, it } from "vitest";
import { memoryMetrics } from "#adapters/memory/metrics";
import { statePorts } from "#runtime/local/state";
import { limitedRegistry } from "#app/shared/limited-registry";
import type { RegistryAnswer } from "#domain/registry/pauses";
import { rulesOf } from "#domain/registry/rules";
import { epochMs, hours, minutes, seconds, toIso } from "#domain/shared/time";
import { TransientError } from "#ports/errors";
import type { Asking, Registry, TagListing } from "#ports/registry";
import { handClock } from "#test/app/by-hand";
import { freeSpending } from "#test/spending";
import { countedDatabase } from "#test/state";

const noon = epochMs(Date.parse("2026-11-21T12:00:00Z"));
const host = "registry.test";
const [evil, evilToo, shop, web] = ["evil/x", "evil/y", "shop/api", "shop/web"] as const;
const tags: TagListing = { kind: "tags", tags: ["1.0.0"] };
const noneLeft: TagListing = { ...tags, pauseMs: 60_000 };
const itselfLimited: RegistryAnswer = {
  kind: "limited",
  detail: `${host} answered 429: too many requests`,
  pauseMs: hours(1),
};
const { signal } = new AbortController();

function tooMany(retryAfterMs: number = hours(1)): TagListing {
  return {
    kind: "unreachable",
    reason: "registry-throttled",
    detail: `${host} answered 429: too many requests`,
    status: 429,
    retryAfterMs,
  };
}

/** Processes that share one database, as functions share a table. */
function setUp() {
  const clock = handClock(noon);
  const database = countedDatabase("abc123");
  const registryLimits = statePorts(database).registryLimits;
  /** The requests in their order; `/v2/` is a request about the registry itself. */
  const asked: string[] = [];
  const answers = new Map<string, TagListing | (() => Promise<TagListing>)>();
  const itself = { answer: { kind: "answers" } as RegistryAnswer | "cancelled" };
  const registry = {
    answers: async () => {
      asked.push("/v2/");
      if (itself.answer === "cancelled") throw new TransientError("the caller cancelled the request");
      return itself.answer;
    },
    tags: async ({ repository }, _signal, asking) => {
      asked.push(repository);
      const refusal = asking?.spending === undefined ? undefined : await asking.beforePage?.();
      if (refusal !== undefined) return refusal;
      const answer = answers.get(repository) ?? tags;
      return typeof answer === "function" ? answer() : answer;
    },
  } as Partial<Registry> as Registry;
  const process = () => {
    const limited = limitedRegistry({
      registry,
      registryLimits,
      rulesOf: (name) => rulesOf(name, []),
      clock,
      pause: async () => undefined,
    })(memoryMetrics());
    return (repository: string, asking?: Asking) => limited.tags({ registry: host, repository }, signal, asking);
  };
  return { clock, database, registryLimits, asked, answers, itself, process };
}

const at = (ms: number) => epochMs(noon + ms);
const refused = (what: string, until: number, because: string) => ({
  kind: "unreachable",
  reason: "registry-throttled",
  detail: `Lookout does not ask ${what} until ${toIso(at(until))}: ${because}`,
  retryAfterMs: until,
  until: at(until),
});

describe("a repository that the registry limits", () => {
  it.each([
    {
      name: "429 with Retry-After: 3600",
      answer: tooMany(),
      rests: minutes(5),
      cause: `${host} answered 429: too many requests, and asked for a pause until 2026-11-21T13:00:00.000Z`,
    },
    {
      name: "429 with a huge Retry-After",
      answer: tooMany(Number.MAX_SAFE_INTEGER),
      rests: minutes(5),
      cause: `${host} answered 429: too many requests, and asked for a pause until 2026-11-22T12:00:00.000Z`,
    },
    {
      name: "429 with Retry-After: 0",
      answer: tooMany(0),
      rests: seconds(1),
      cause: `${host} answered 429: too many requests`,
    },
    {
      name: "200 without remaining requests",
      answer: noneLeft,
      rests: minutes(1),
      cause: `${host} states that no requests are left (ratelimit-remaining: 0)`,
    },
    {
      name: "200 without remaining requests for two hours",
      answer: { ...tags, pauseMs: hours(2) },
      rests: minutes(5),
      cause: `${host} states that no requests are left (ratelimit-remaining: 0), and asked for a pause until 2026-11-21T14:00:00.000Z`,
    },
    {
      name: "503 with Retry-After",
      answer: {
        kind: "unreachable",
        detail: `${host} answered 503`,
        isOutage: true,
        status: 503,
        retryAfterMs: 30_000,
      },
      rests: seconds(30),
      cause: `${host} answered 503`,
    },
    {
      name: "a limit of its login",
      answer: { ...tooMany(30_000), detail: "auth.test answered 429: too many requests" },
      rests: seconds(30),
      cause: "auth.test answered 429: too many requests",
    },
  ] as const)("by $name rests, while all other repositories are asked", async ({ answer, rests, cause }) => {
    const { process, answers, asked, clock } = setUp();
    answers.set(evil, answer);
    const [one, two] = [process(), process()];
    const first = await one(evil);
    // The answer itself says until when Lookout rests, and what the registry asked for.
    if ("reason" in answer) expect(first).toEqual({ ...answer, detail: cause, until: at(rests) });
    else expect(first).toEqual(answer);

    for (const ask of [one, two, process()]) {
      expect(await ask(shop)).toEqual(tags);
      expect(await ask(evil)).toEqual(refused(`${host}/${evil}`, rests, cause));
    }
    expect(asked).toEqual([evil, "/v2/", shop, shop, shop]);

    clock.turn(rests);
    answers.delete(evil);
    expect(await two(evil)).toEqual(tags);
  });

  it("by a reset that is now does not rest", async () => {
    const { process, answers, asked } = setUp();
    answers.set(evil, { ...tags, pauseMs: 0 });
    const ask = process();
    await ask(evil);
    await ask(evil);

    expect(asked).toEqual([evil, evil]);
  });

  it("is asked once when its pause ends, by four processes, and by all after the answer", async () => {
    const { process, answers, asked, clock } = setUp();
    answers.set(evil, tooMany());
    const processes = [process(), process(), process(), process()];
    const askAll = () => Promise.all(processes.map((ask) => ask(evil)));
    await processes[0]?.(evil);
    await askAll();
    clock.turn(minutes(5));
    asked.length = 0;
    const probe = Promise.withResolvers<TagListing>();
    answers.set(evil, () => probe.promise);
    const probing = processes[3]?.(evil);
    await new Promise((resolve) => setTimeout(resolve, 20));

    const others = processes.slice(0, 3).map((ask) => ask(evil));
    expect((await Promise.all(others)).map(({ kind }) => kind)).toEqual(["unreachable", "unreachable", "unreachable"]);
    expect(asked).toEqual([evil]);
    probe.resolve(tags);
    expect(await probing).toEqual(tags);
    answers.delete(evil);
    clock.turn(seconds(2));
    expect(await askAll()).toEqual(processes.map(() => tags));
  });

  it("gets one request for each pause while it asks for hours", async () => {
    const { process, answers, asked, clock } = setUp();
    answers.set(evil, tooMany());
    const processes = [process(), process()];
    for (let minute = 0; minute < 60; minute += 1) {
      for (const ask of processes) await ask(evil);
      clock.turn(minutes(1));
    }

    expect(asked.filter((name) => name === evil)).toHaveLength(12);
  });

  it("is asked again after ten seconds, if the probe got no answer", async () => {
    const { process, answers, clock } = setUp();
    const ask = process();
    answers.set(evil, tooMany());
    await ask(evil);
    clock.turn(minutes(5));
    answers.set(evil, { kind: "unreachable", detail: `${host} answered 502`, isOutage: true, status: 502 });
    expect(await ask(evil)).toMatchObject({ status: 502 });
    expect(await ask(evil)).toMatchObject({ reason: "registry-throttled", retryAfterMs: 10_000 });

    clock.turn(seconds(10));
    answers.delete(evil);
    expect(await ask(evil)).toEqual(tags);
    expect(await ask(evil)).toEqual(tags);
  });

  it("costs no write after its pause has ended", async () => {
    const { process, answers, database, clock } = setUp();
    const ask = process();
    answers.set(evil, tooMany(1_000));
    await ask(evil);
    answers.delete(evil);
    clock.turn(seconds(1));
    await ask(evil);
    const writes = database.writes();
    for (let request = 0; request < 50; request += 1) await ask(request % 2 === 0 ? evil : shop);

    expect(writes).toBe(3);
    expect(database.writes()).toBe(writes);
  });

  it("costs one write for many answers at the same time", async () => {
    const { process, answers, database } = setUp();
    const ask = process();
    await ask(shop);
    answers.set(evil, tooMany());
    await Promise.all(Array.from({ length: 20 }, () => ask(evil)));

    expect(database.writes()).toBe(1);
  });

  it("rests after a restart, and no longer than five minutes after its clock was set back", async () => {
    const { process, answers, clock } = setUp();
    answers.set(evil, tooMany());
    await process()(evil);
    answers.delete(evil);
    expect(await process()(evil)).toMatchObject({ reason: "registry-throttled" });

    clock.turn(hours(-48));
    expect(await process()(evil)).toEqual(tags);
  });
});

describe("a registry with hostile repositories", () => {
  it("that alternate their limits still gets the requests of other repositories", async () => {
    const { process, answers, clock, itself } = setUp();
    const limits = [tooMany(), tags, noneLeft, { ...tooMany(1_000), status: 503 }, { ...tags, pauseMs: 1 }];
    const processes = [process(), process()];
    for (let round = 0; round < 100; round += 1) {
      for (const [index, repository] of [evil, evilToo, `evil/${round}`].entries())
        answers.set(repository, limits[(round + index) % limits.length] ?? tags);
      for (const ask of processes) {
        for (const repository of [evil, evilToo, `evil/${round}`]) await ask(repository);
        for (const repository of [shop, web]) expect(await ask(repository)).toEqual(tags);
      }
      itself.answer = round % 7 === 0 ? "cancelled" : { kind: "answers" };
      clock.turn(seconds(13));
    }
  });

  it("is asked about itself at most once a minute by a process", async () => {
    const { process, answers, asked, clock } = setUp();
    const ask = process();
    for (let index = 0; index < 50; index += 1) {
      answers.set(`evil/${index}`, tooMany());
      await ask(`evil/${index}`);
    }
    expect(asked.filter((name) => name === "/v2/")).toHaveLength(1);

    clock.turn(minutes(1));
    answers.set(evil, tooMany());
    await ask(evil);
    expect(asked.filter((name) => name === "/v2/")).toHaveLength(2);
  });

  it("stores the pauses of a hundred repositories at most", async () => {
    const { process, answers, registryLimits } = setUp();
    const ask = process();
    for (let index = 0; index < 150; index += 1) {
      answers.set(`evil/${index}`, tooMany());
      await ask(`evil/${index}`);
    }

    expect((await registryLimits.read(host)).pauses?.repositories).toHaveLength(100);
    expect(await ask(shop)).toEqual(tags);
  });
});

describe("a registry that limits requests itself", () => {
  const cause = `${host} answered 429: too many requests, and asked for a pause until 2026-11-21T13:00:00.000Z`;

  it("rests as a whole for five minutes at most, in all processes", async () => {
    const { process, answers, asked, itself, clock } = setUp();
    answers.set(shop, tooMany());
    itself.answer = itselfLimited;
    await process()(shop);

    for (const ask of [process(), process()]) expect(await ask(web)).toEqual(refused(host, minutes(5), cause));
    expect(asked).toEqual([shop, "/v2/"]);

    clock.turn(minutes(5));
    answers.clear();
    itself.answer = { kind: "answers" };
    const ask = process();
    expect([await ask(web), await ask(shop), await ask("shop/db")]).toEqual([tags, tags, tags]);
  });

  it("rests again after a limited probe, and is asked for all but this repository if it answers again", async () => {
    const { process, answers, asked, itself, clock } = setUp();
    const ask = process();
    answers.set(shop, tooMany());
    itself.answer = itselfLimited;
    await ask(shop);
    clock.turn(minutes(5));
    await ask(shop);
    expect(await ask(web)).toMatchObject({ reason: "registry-throttled", until: at(minutes(10)) });
    expect(asked).toEqual([shop, "/v2/", "/v2/"]);

    clock.turn(minutes(5));
    itself.answer = { kind: "answers" };
    await ask(shop);
    expect(await ask(web)).toEqual(tags);
    expect(await ask(shop)).toMatchObject({ reason: "registry-throttled" });
  });

  it("is no outage, and does not open the breaker after failures of its repositories", async () => {
    const { process, answers, itself, registryLimits } = setUp();
    const ask = process();
    itself.answer = itselfLimited;
    answers.set(shop, { kind: "unreachable", detail: `${host} answered 502`, isOutage: true, status: 502 });
    await ask(shop);

    expect(await ask(web)).toEqual(refused(host, minutes(5), cause));
    const { breaker, outage } = await registryLimits.read(host);
    expect([breaker?.state, outage]).toEqual(["closed", undefined]);
  });
});

describe("a registry whose pause has ended", () => {
  it.each([
    { what: "hangs", answer: { kind: "unreachable", detail: `${host} did not answer in time`, isOutage: true } },
    { what: "is limited", answer: tooMany() },
    { what: "fails", answer: { kind: "unreachable", detail: `${host} answered 502`, isOutage: true, status: 502 } },
  ] as const)("is asked for all repositories, though the first of them $what", async ({ answer }) => {
    const { process, answers, itself, clock } = setUp();
    const [one, two] = [process(), process()];
    answers.set(evil, tooMany());
    itself.answer = itselfLimited;
    await one(evil);
    clock.turn(minutes(5));
    itself.answer = { kind: "answers" };
    answers.set(evil, answer);
    await one(evil);

    expect([await one(shop), await two(web)]).toEqual([tags, tags]);
  });

  it("is asked for the repository whose listing Lookout ended after the first page", async () => {
    const { process, answers, clock, registryLimits } = setUp();
    const ask = process();
    answers.set(evil, tooMany());
    await ask(evil);
    clock.turn(minutes(5));
    let sent = 0;
    const over = { detail: "too many requests of one namespace", retryAfterMs: minutes(1) };
    const spending = {
      ...freeSpending(),
      overBudget: () => (sent === 0 ? undefined : over),
      countRequest: () => void (sent += 1),
    };
    expect(await ask(evil, { spending })).toMatchObject({ reason: "over-budget" });

    expect((await registryLimits.read(host)).pauses?.repositories).toEqual([]);
  });
});

describe("a registry that gives no answer about itself", () => {
  it("rests as a whole after the limits of two repositories, until one request is answered", async () => {
    const { process, answers, asked, itself, clock } = setUp();
    itself.answer = { kind: "no-answer" };
    const ask = process();
    for (const repository of [evil, evilToo]) answers.set(repository, tooMany());
    await ask(evil);
    expect(await ask(shop)).toEqual(tags);
    await ask(evilToo);
    expect(await ask(shop)).toMatchObject({ reason: "registry-throttled", until: at(minutes(5)) });

    clock.turn(minutes(5));
    asked.length = 0;
    expect(await ask(shop)).toEqual(tags);
    expect(await ask(web)).toEqual(tags);
    expect(asked).toEqual(["/v2/", shop, web]);
  });

  it.each([{ kind: "answers" }, "cancelled"] as const)(
    "but then answers without a limit, or can't be asked, gets the requests of other repositories: %s",
    async (answer) => {
      const { process, answers, itself } = setUp();
      const ask = process();
      for (const repository of [evil, evilToo]) answers.set(repository, tooMany());
      itself.answer = { kind: "no-answer" };
      await ask(evil);
      itself.answer = answer;
      await ask(evilToo);

      expect(await ask(shop)).toEqual(tags);
    },
  );
});

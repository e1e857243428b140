import { describe, expect, it } from "vitest";
import { checkRegistry, listRegistries, resumeRegistry } from "#app/api/registries";
import type { Ports } from "#app/shared/ports";
import { openLimitedRegistry } from "#runtime/limited-registry";
import { type EpochMs, hours, minutes, plus, seconds, toIso } from "#domain/shared/time";
import type { RegistryEntry, RegistryRules } from "#domain/workload/registry-rules";
import { memoryMetrics } from "#adapters/memory/metrics";
import type { OutgoingCommand } from "#ports/messaging";
import type { RegistryAnswer } from "#domain/registry/pauses";
import type { Registry, RepositoryName, TagListing } from "#ports/registry";
import { begins, host, trackApi, worldWithApi } from "../world.ts";

const signal = new AbortController().signal;

/**
 * A Lookout whose workload has an image of `registry.test/shop/api`, under rules of lookout.yaml.
 */
async function lookoutWith(rules: Partial<RegistryRules> = {}) {
  const lookout = await worldWithApi();
  await trackApi(lookout);
  const asked: RepositoryName[] = [];
  const registry = {
    ...lookout.ports.registry,
    inspect: (name: RepositoryName, given: AbortSignal) => {
      asked.push(name);
      return lookout.ports.registry.inspect(name, given);
    },
  };
  const ports: Ports = {
    ...lookout.ports,
    registry,
    rules: { ...lookout.ports.rules, registries: { registryPolicy: "any", registries: [], ...rules } },
  };
  return { lookout, ports, asked };
}

const entry: RegistryEntry = {
  name: "shop",
  host,
  aliases: ["pull.test"],
  passwordEnv: "SHOP_PASSWORD",
  namespaces: ["shop"],
};

describe("the list of registries", () => {
  it("has the entries of lookout.yaml, then the other registries in use", async () => {
    const rateLimiting = { requestsPerSecond: 5, burst: 10 };
    const unused: RegistryEntry = { name: "spare.test", host: "spare.test", circuitBreaker: { enabled: false } };
    const { ports } = await lookoutWith({ registries: [{ ...entry, rateLimiting }, unused] });
    await ports.repositories.write({ registry: "ghcr.io", repository: "shop/web", missed: 0 });

    expect(await listRegistries(ports)).toEqual({
      at: toIso(ports.clock.now()),
      registries: [
        {
          ...{ name: "shop", host, isListed: true, aliases: ["pull.test"], namespaces: ["shop"] },
          ...{ repositories: 1, credential: "passwordEnv", breaker: { state: "closed", failures: 0 }, pauses: [] },
          limit: { ...rateLimiting, tokensLeft: 10, tokensLeased: 0 },
        },
        {
          ...{ name: "spare.test", host: "spare.test", isListed: true, aliases: [] },
          ...{ repositories: 0, credential: "default", limit: {}, pauses: [], breaker: { state: "off" } },
        },
        {
          ...{ name: "ghcr.io", host: "ghcr.io", isListed: false, aliases: [], repositories: 1, credential: "default" },
          limit: { requestsPerSecond: 10, burst: 20, tokensLeft: 20, tokensLeased: 0 },
          pauses: [],
          breaker: { state: "closed", failures: 0 },
        },
      ],
    });
  });

  it("shows leased tokens, and an open breaker with its end and reason", async () => {
    const { lookout, ports } = await lookoutWith({
      registries: [
        { ...entry, rateLimiting: { requestsPerSecond: 4, burst: 8 }, circuitBreaker: { failureThreshold: 1 } },
      ],
    });
    const away = { kind: "unreachable", detail: `${host} answered 503`, isOutage: true } as const;
    const answers = async () => ({ kind: "no-answer" }) as const;
    const registry = { ...ports.registry, tags: () => Promise.resolve(away), answers };
    const gate = openLimitedRegistry(ports.rules.registries.registries, { ...ports, registry })(memoryMetrics());
    await gate.tags({ registry: host, repository: "shop/api" }, signal);
    const { registries } = await listRegistries(ports);

    const now = ports.clock.now();
    expect(registries[0]).toMatchObject({
      limit: { tokensLeft: 4, tokensLeased: 4 },
      breaker: {
        state: "open",
        since: toIso(now),
        until: toIso(plus(now, minutes(1))),
        lastFailure: { at: toIso(now) },
      },
    });
    lookout.clock.turn(minutes(2));
    expect((await listRegistries(ports)).registries[0]?.breaker).toMatchObject({ state: "half-open" });
  });
});

const pause = (until: EpochMs) => ({ since: begins, until, detail: `${host} answered 429: too many requests` });

describe("a limited registry", () => {
  it("shows its own pause and those of its repositories, with their causes, while they run", async () => {
    const { lookout, ports } = await lookoutWith({ registries: [entry] });
    const now = ports.clock.now();
    const [soon, later] = [plus(now, seconds(30)), plus(now, minutes(5))];
    const askedUntil = plus(now, hours(1));
    const repositories = [
      { ...pause(soon), repository: "shop/web" },
      { ...pause(later), repository: "shop/api", askedUntil },
    ];
    await ports.registryLimits.writePauses(host, { version: 1, registry: pause(soon), repositories }, now);
    const shown = async () => {
      const [view] = (await listRegistries(ports)).registries;
      return { pauses: view?.pauses, pausedUntil: view?.limit.pausedUntil };
    };

    const view = (until: EpochMs) => ({ ...pause(until), since: toIso(begins), until: toIso(until) });
    const api = { ...view(later), repository: "shop/api", askedUntil: toIso(askedUntil) };
    expect(await shown()).toEqual({
      pauses: [view(soon), { ...view(soon), repository: "shop/web" }, api],
      pausedUntil: toIso(soon),
    });
    lookout.clock.turn(seconds(30));
    expect(await shown()).toEqual({ pauses: [api], pausedUntil: undefined });
  });
});

describe("the resume of a registry", () => {
  const limited = {
    ...({ kind: "unreachable", reason: "registry-throttled", status: 429, retryAfterMs: hours(1) } as const),
    detail: `${host} answered 429: too many requests`,
  };
  const [api, web] = ["shop/api", "shop/web"].map((repository) => ({ registry: host, repository })) as [
    RepositoryName,
    RepositoryName,
  ];

  /** A process that rests, because of answers of its registry. */
  async function restingLookout(answers: { tags: TagListing; itself: RegistryAnswer }, rules = [entry]) {
    const { lookout, ports } = await lookoutWith({ registries: rules });
    const asked: string[] = [];
    const tags: Registry["tags"] = async ({ repository }) => {
      asked.push(repository);
      return answers.tags;
    };
    const registry = { ...ports.registry, tags, answers: async () => answers.itself };
    const queued: OutgoingCommand[] = [];
    const queues = {
      ...lookout.ports.queues,
      send: async (sent: readonly OutgoingCommand[]) => void queued.push(...sent),
    };
    const process = () => openLimitedRegistry(rules, { ...ports, registry })(memoryMetrics());
    await ports.repositories.write({ ...web, missed: 0 });
    await ports.repositories.write({ registry: "other.test", repository: "shop/api", missed: 0 });
    return { lookout, process, asked, queued, answers, ports: { ...lookout.ports, ...ports, queues } };
  }
  const sweptBy = (queued: readonly OutgoingCommand[]) =>
    queued.map(({ command, delay }) =>
      command.name === "SweepRepository" ? [`${command.registry}/${command.repository}`, delay] : command.name,
    );

  it.each(["shop", host, "pull.test"])(
    "ends the pause of a repository at once, in all processes, and checks it (%s)",
    async (named) => {
      const bed = await restingLookout({ tags: limited, itself: { kind: "answers" } });
      const now = bed.ports.clock.now();
      const processes = [bed.process(), bed.process()];
      for (const one of processes) await one.tags(api, signal);
      expect(bed.asked).toEqual(["shop/api"]);

      expect(await resumeRegistry(named, bed.ports)).toEqual({
        at: toIso(now),
        host,
        ended: [
          {
            repository: "shop/api",
            detail: limited.detail,
            since: toIso(now),
            until: toIso(plus(now, minutes(5))),
            askedUntil: toIso(plus(now, hours(1))),
          },
        ],
        breaker: "unchanged",
        repositories: 1,
      });
      expect(sweptBy(bed.queued)).toEqual([[`${host}/shop/api`, seconds(2)]]);
      expect((await listRegistries(bed.ports)).registries[0]?.pauses).toEqual([]);
      bed.answers.tags = { kind: "tags", tags: [] };
      bed.lookout.clock.turn(seconds(2));
      for (const one of processes) expect(await one.tags(api, signal)).toEqual(bed.answers.tags);
    },
  );

  it("ends the pause of the whole registry, and checks all its repositories", async () => {
    const itself = { kind: "limited", detail: limited.detail, pauseMs: hours(1) } as const;
    const bed = await restingLookout({ tags: limited, itself });
    const one = bed.process();
    await one.tags(api, signal);
    expect(await one.tags(web, signal)).toMatchObject({ reason: "registry-throttled" });

    const resumed = await resumeRegistry(host, bed.ports);
    expect("ended" in resumed && resumed.ended.map(({ repository }) => repository)).toEqual([undefined, "shop/api"]);
    expect(sweptBy(bed.queued)).toEqual([
      [`${host}/shop/api`, seconds(2)],
      [`${host}/shop/web`, seconds(2)],
    ]);
    bed.answers.tags = { kind: "tags", tags: [] };
    bed.lookout.clock.turn(seconds(2));
    expect(await one.tags(web, signal)).toEqual(bed.answers.tags);
  });

  it("lets the next request through an open breaker, as its test", async () => {
    const away = { kind: "unreachable", detail: `${host} could not be reached`, isOutage: true } as const;
    const rules = [{ ...entry, circuitBreaker: { failureThreshold: 1, timeout: hours(1) } }];
    const bed = await restingLookout({ tags: away, itself: { kind: "no-answer" } }, rules);
    const one = bed.process();
    for (let request = 0; request < 3; request += 1) await one.tags(api, signal);
    expect(bed.asked).toHaveLength(1);

    expect(await resumeRegistry(host, bed.ports)).toMatchObject({ ended: [], breaker: "half-open", repositories: 2 });
    expect((await listRegistries(bed.ports)).registries[0]?.breaker.state).toBe("half-open");
    bed.lookout.clock.turn(seconds(2));
    for (let request = 0; request < 3; request += 1) await one.tags(api, signal);
    expect(bed.asked).toHaveLength(2);
  });

  it("of a registry without a pause ends nothing, and checks nothing", async () => {
    const bed = await restingLookout({ tags: { kind: "tags", tags: [] }, itself: { kind: "answers" } });
    await bed.process().tags(api, signal);

    const nothing = { ended: [], breaker: "unchanged", repositories: 0 };
    expect(await resumeRegistry(host, bed.ports)).toMatchObject({ host, ...nothing });
    expect(await resumeRegistry("other.test", bed.ports)).toMatchObject({ host: "other.test", ...nothing });
    expect(bed.queued).toEqual([]);
  });

  it("of an unknown registry is refused, with the known ones", async () => {
    const bed = await restingLookout({ tags: limited, itself: { kind: "answers" } });

    expect(await resumeRegistry("nope.test", bed.ports)).toEqual({
      kind: "not-found",
      detail: `Lookout knows no registry nope.test. It knows ${host}, other.test`,
    });
    expect(await resumeRegistry("no host", bed.ports)).toEqual({
      kind: "bad-name",
      detail: '"no host" is no entry of registries, and not a host: expected host or host:port',
    });
    for (let index = 0; index < 30; index += 1)
      await bed.ports.repositories.write({ registry: `r${index}.test`, repository: "shop/api", missed: 0 });
    expect(await resumeRegistry("nope.test", bed.ports)).toMatchObject({
      detail: expect.stringMatching(/and 12 more$/) as string,
    });
  });
});

describe("a check of a registry", () => {
  const results = async (checked: ReturnType<typeof checkRegistry>) => {
    const view = await checked;
    if ("kind" in view) return view;
    return view.registries.map(({ name, repository, rows }) => [name, repository, ...rows.map(({ result }) => result)]);
  };

  it("asks for a repository of a workload, by the entry's name, its host or an alias", async () => {
    const { ports, asked } = await lookoutWith({ registries: [entry] });

    const well = [["shop", "shop/api", "ok", "not-checked", "ok", "ok", "not-checked", "not-checked"]];
    for (const named of ["shop", host, "pull.test"])
      expect(await results(checkRegistry(named, undefined, ports, signal))).toEqual(well);
    expect(asked).toEqual(Array.from({ length: 3 }, () => ({ registry: host, repository: "shop/api" })));
  });

  it("asks once for each entry of a host", async () => {
    const { ports } = await lookoutWith({
      registries: [
        { ...entry, repositories: ["shop"] },
        { name: "pay", host, repositories: ["pay"] },
      ],
    });
    await ports.repositories.write({ registry: host, repository: "pay/ledger", missed: 0 });

    const both = (await results(checkRegistry(host, undefined, ports, signal))) as readonly string[][];
    expect(both.map(([name, repository]) => `${name} ${repository}`).toSorted()).toEqual([
      "pay pay/ledger",
      "shop shop/api",
    ]);
    expect(await results(checkRegistry("pay", undefined, ports, signal))).toEqual([
      ["pay", "pay/ledger", "ok", "not-checked", "ok", "failed", "not-checked", "not-checked"],
    ]);
  });

  it("of a host that lookout.yaml does not allow is refused with the entry's key, and sends no request", async () => {
    const { ports, asked } = await lookoutWith({ registryPolicy: "listed", registries: [entry] });

    expect(await checkRegistry("evil.test", "shop/api", ports, signal)).toEqual({
      kind: "registry-not-allowed",
      detail:
        "registryPolicy is listed, and no entry serves shop/api of evil.test. The owner of lookout.yaml can allow the registry:  registries: [{host: evil.test, repositories: [shop/api]}]",
    });
    expect(await checkRegistry("evil.test", undefined, ports, signal)).toMatchObject({ kind: "registry-not-allowed" });
    expect(asked).toEqual([]);
  });

  it.each([
    { named: "http://evil.test/", path: undefined, kind: "bad-name" },
    { named: "nope", path: undefined, kind: "bad-name" },
    { named: host, path: "../etc", kind: "bad-name" },
    { named: host, path: "shop/api:1.0.0", kind: "bad-name" },
    { named: "unused.test", path: undefined, kind: "not-found" },
  ])("of $named and $path is refused ($kind), and sends no request", async ({ named, path, kind }) => {
    const { ports, asked } = await lookoutWith();

    expect(await checkRegistry(named, path, ports, signal)).toMatchObject({ kind });
    expect(asked).toEqual([]);
  });

  it("sends no request while the breaker is open, and reports the breaker", async () => {
    const { ports, asked } = await lookoutWith({ registries: [entry] });
    const now = ports.clock.now();
    const lastFailure = { detail: `${host} answered 503`, at: now };
    const open = { version: 1, state: "open", lastFailure, since: now, until: plus(now, seconds(50)) } as const;
    await ports.registryLimits.writeBreaker(host, open, now);
    const registry = openLimitedRegistry([entry], ports)(memoryMetrics());
    const view = await checkRegistry("shop", undefined, { ...ports, registry }, signal);

    const rows = "kind" in view ? [] : (view.registries[0]?.rows ?? []);
    expect(rows.map(({ check, result }) => `${check} ${result}`)).toEqual([
      "address not-checked",
      "certificate not-checked",
      "authentication not-checked",
      "tags not-checked",
      "limits failed",
      "clock not-checked",
    ]);
    expect(rows[4]?.reason?.reason).toBe("registry-circuit-open");
    expect(asked).toEqual([]);
  });
});

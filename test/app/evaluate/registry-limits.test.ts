import { beforeEach, describe, expect, it } from "vitest";
import { memoryMetrics } from "#adapters/memory/metrics";
import { explain } from "#app/api/explain";
import { sweepDue } from "#app/detect/sweep-repository";
import { limitedRegistry } from "#app/shared/limited-registry";
import { renderExplanation } from "#cli/render/explain";
import { stateOf } from "#cli/render/state";
import { rulesOf } from "#domain/registry/rules";
import { type DurationMs, hours, minutes, plus, seconds } from "#domain/shared/time";
import type { Registry, RegistryRefusal, RepositoryName } from "#ports/registry";
import { begins, host, type World, world } from "../world.ts";

const { signal } = new AbortController();
const repositories = ["shop/api", "shop/web"] as const;

type Question = "tags" | "resolve";

let lookout: World;
let keys: readonly string[];
/** The requests that the registry refuses, with the pause that it asks for. */
let limits: { readonly of: Question; readonly retryAfterMs: DurationMs; readonly repository?: string } | undefined;
/** Starts a process with the limits that other processes stored. */
let limit: () => void;

beforeEach(async () => {
  limits = undefined;
  lookout = world();
  const { registry } = lookout;
  const refusal = (question: Question, { repository }: RepositoryName): RegistryRefusal | undefined =>
    limits?.of === question && (limits.repository ?? repository) === repository
      ? {
          kind: "unreachable",
          reason: "registry-throttled",
          detail: `${host} answered 429: too many requests`,
          status: 429,
          retryAfterMs: limits.retryAfterMs,
        }
      : undefined;
  const odd: Registry = {
    ...registry,
    tags: async (...asked) => refusal("tags", asked[0]) ?? registry.tags(...asked),
    resolve: async (...asked) => refusal("resolve", asked[0]) ?? registry.resolve(...asked),
  };
  limit = () => {
    const limited = limitedRegistry({
      registry: odd,
      registryLimits: lookout.ports.registryLimits,
      rulesOf: (name) => rulesOf(name, []),
      clock: lookout.clock,
      pause: async () => undefined,
    });
    Object.assign(lookout.ports, { registry: limited(memoryMetrics([])) });
  };
  limit();
  for (const repository of repositories) await lookout.push(repository, "1.0.0", { quietly: true });
  keys = repositories.map((repository) => {
    const annotations = { "lookout.dev/policy": "semver", "lookout.dev/semver-range": ">=1" };
    return lookout.deploy({ name: repository.slice(5), image: `${host}/${repository}:1.0.0`, annotations });
  });
  await lookout.sync();
  await lookout.pass(seconds(5));
});

/** Pushes a tag to both repositories while the registry refuses requests. */
async function pushWhileLimited(of: Question, retryAfterMs: DurationMs): Promise<void> {
  limits = { of, retryAfterMs };
  for (const repository of repositories) await lookout.push(repository, "1.1.0");
  await lookout.settle();
}

const failures = async () =>
  (await Promise.all(keys.map((key) => lookout.record(key)))).map(({ selectionFailures }) => selectionFailures);

async function shown(key = ""): Promise<{ readonly explanation: string; readonly status: string }> {
  const view = await explain(key, lookout.ports, signal);
  if (view === undefined) throw new Error(`${key} is not tracked`);
  const style = { width: undefined, colour: false, now: lookout.clock.now(), timeZone: "UTC", wide: false };
  return { explanation: renderExplanation(view, undefined, style), status: stateOf(view.workload, style).words };
}

const answered = `${host} answered 429: too many requests`;

describe("a registry that allows no more requests", () => {
  it.each(["tags", "resolve"] as const)(
    "is named as such by the workloads of each limited repository: %s",
    async (of) => {
      await pushWhileLimited(of, minutes(4));

      const until = plus(plus(begins, minutes(4)), seconds(5));
      const failed = { container: "app", reason: "registry-throttled", detail: answered, until };
      expect(await failures()).toEqual([[failed], [failed]]);
    },
  );

  it("is named, with its cause, in the explanation and in the status of a workload whose image can't be read", async () => {
    await pushWhileLimited("resolve", minutes(4));
    lookout.clock.turn(minutes(4));

    // The list of tags can be read again, and the record has not been evaluated yet.
    for (const key of keys) {
      const { explanation, status } = await shown(key);
      expect(explanation).toContain(
        `✗ policy   semver >=1 selects nothing of 2 tags: The registry allows no more requests for now. ${answered}\n`,
      );
      const unchecked = `not checked yet: registry ${host} allows no more requests, paused until 10:08 UTC`;
      expect(explanation).toContain(`  ! check    ${unchecked}. Since 10:00:05 UTC: ${answered}\n`);
      expect(status).toBe(unchecked);
    }
    // These explanations met the limit again, so the next one reads no tags.
    expect((await shown(keys[0])).explanation).toContain(
      `selects nothing: The registry allows no more requests for now. ${answered}\n`,
    );
  });

  it("is named by the explanation during the pause, with the cause of the record", async () => {
    await pushWhileLimited("tags", minutes(4));

    const { explanation, status } = await shown(keys[0]);
    expect(explanation).toContain(`selects nothing: The registry allows no more requests for now. ${answered}\n`);
    expect(status).toBe(`not checked yet: registry ${host} allows no more requests, paused until 10:04 UTC`);
  });

  it.each([seconds(7), minutes(4), minutes(30)])(
    "updates all its workloads within seconds after a pause of %i ms, without a push",
    async (pause) => {
      await pushWhileLimited("tags", pause);
      limits = undefined;
      await lookout.pass(pause);
      await lookout.pass(seconds(6));

      expect(await failures()).toEqual([[], []]);
      expect(keys.map((key) => lookout.image(key).replace(/@.*/, ""))).toEqual(
        repositories.map((repository) => `${host}/${repository}:1.1.0`),
      );
    },
  );

  it("updates the workloads of other repositories, also after a restart, and asks again after five minutes", async () => {
    limits = { of: "tags", retryAfterMs: hours(1), repository: "shop/api" };
    for (const repository of repositories) await lookout.push(repository, "1.1.0");
    await lookout.settle();
    const tagsOf = () => keys.map((key) => lookout.image(key).replace(/@.*/, ""));
    expect(tagsOf()).toEqual([`${host}/shop/api:1.0.0`, `${host}/shop/web:1.1.0`]);

    limit();
    await lookout.push("shop/web", "1.2.0");
    await lookout.pass(minutes(2));
    expect(tagsOf()).toEqual([`${host}/shop/api:1.0.0`, `${host}/shop/web:1.2.0`]);
    expect((await failures())[0]).toEqual([
      {
        container: "app",
        reason: "registry-throttled",
        detail: `${answered}, and asked for a pause until 2026-11-21T11:00:05.000Z`,
        until: plus(plus(begins, minutes(5)), seconds(5)),
      },
    ]);

    limits = undefined;
    await lookout.pass(minutes(3));
    await lookout.pass(seconds(6));
    expect(tagsOf()).toEqual([`${host}/shop/api:1.1.0`, `${host}/shop/web:1.2.0`]);
  });

  it("gets fewer and fewer retries while it limits requests for hours", async () => {
    await pushWhileLimited("tags", minutes(1));
    const before = await Promise.all(keys.map((key) => lookout.record(key)));
    for (let half = 0; half < 12; half += 1) {
      await lookout.pass(minutes(30));
      await lookout.reap();
    }

    const after = await Promise.all(keys.map((key) => lookout.record(key)));
    for (const [index, record] of after.entries()) {
      expect(record.selectionFailures).toMatchObject([{ reason: "registry-throttled" }]);
      expect(record.version - (before[index]?.version ?? 0)).toBeLessThan(15);
    }
  });

  it("is no problem of its repositories any more after the first sweep after the pause", async () => {
    const tick = () => sweepDue(lookout.ports);
    await lookout.sweep();
    limits = { of: "tags", retryAfterMs: minutes(4) };
    await lookout.sweep();
    expect(await problems()).toEqual(["registry-throttled", "registry-throttled"]);
    limits = undefined;
    // Past the regular sweeps of the pause, which are left out.
    for (let minute = 0; minute < 4; minute += 1) {
      await tick();
      await lookout.pass(minutes(1));
    }
    expect(await problems()).toEqual(["registry-throttled", "registry-throttled"]);

    expect(await tick()).toEqual({ kind: "sweeping", repositories: 2, leftAlone: 0 });
    await lookout.settle();

    expect(await problems()).toEqual([]);
  });
});

async function problems(): Promise<readonly string[]> {
  return (await lookout.ports.repositories.list()).flatMap(({ problem }) => problem?.reason ?? []);
}

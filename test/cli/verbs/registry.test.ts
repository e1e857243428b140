import { describe, expect, it } from "vitest";
import type { PauseView, RegistriesView, RegistryChecksView, RegistryResumedView } from "#contracts/api/registries";
import { problemOf } from "#contracts/problem";
import { lines, lookout } from "../world.ts";

const at = "2026-11-21T18:45:13.000Z";
const closed = { state: "closed", failures: 0 } as const;
const registries: RegistriesView = {
  at,
  registries: [
    {
      ...{
        name: "shop",
        host: "registry.test",
        isListed: true,
        aliases: ["pull.test"],
        namespaces: ["shop", "prod/*"],
      },
      ...{ repositories: 3, credential: "passwordEnv", breaker: closed, pauses: [] },
      limit: { requestsPerSecond: 10, burst: 20, tokensLeft: 12, tokensLeased: 8 },
    },
    {
      ...{
        name: "ghcr.io",
        host: "ghcr.io",
        isListed: false,
        aliases: [],
        repositories: 1,
        credential: "default",
        limit: {},
        pauses: [],
      },
      breaker: {
        ...{ state: "open", since: at, until: "2026-11-21T18:46:23.000Z" },
        lastFailure: { at, detail: "answered 503\u001b[2J" },
      },
    },
  ],
};

const checked = (...rows: RegistryChecksView["registries"][number]["rows"]): RegistryChecksView => ({
  at,
  registries: [{ name: "shop", host: "registry.test", repository: "shop/api", rows }],
});
const refusedFor = (reason: "registry-not-allowed" | "registry-not-trusted") => ({
  ...({ result: "failed", detail: "registry.test is not so", change: "the entry: caFile" } as const),
  reason: { reason, sentence: "It is wrong.", remedy: "Change it." },
});

function paused(repository?: string, askedUntil?: string): PauseView {
  return {
    ...(repository === undefined ? {} : { repository }),
    since: at,
    until: "2026-11-21T18:46:23.000Z",
    detail: "registry.test answered 429",
    ...(askedUntil === undefined ? {} : { askedUntil }),
  };
}

describe("lookout registry resume", () => {
  const resume = (view: Partial<RegistryResumedView>, ...flags: readonly string[]) => {
    const body: RegistryResumedView = {
      at,
      host: "registry.test",
      ended: [],
      breaker: "unchanged",
      repositories: 0,
      ...view,
    };
    return lookout(["registry", "resume", "registry.test:5000", ...flags], {
      "POST /v1/registries/registry.test%3A5000/resume": { body },
    });
  };

  it("names the pauses that it ended, and says that the breaker tests the next request", async () => {
    const view = { ended: [paused(), paused("shop/api")], breaker: "half-open", repositories: 3 } as const;
    expect(await resume(view)).toMatchObject({
      exitCode: 0,
      stdout: lines(
        "✓ The pause of registry.test has ended: registry.test answered 429",
        "✓ The pause of registry.test/shop/api has ended: registry.test answered 429",
        "✓ The circuit breaker of registry.test was open. The next request is a test.",
        "Lookout checks 3 repositories now.",
      ),
    });
    const json = JSON.parse((await resume(view, "--output", "json")).stdout) as RegistryResumedView;
    expect(json).toMatchObject(view);
  });

  it("names ten pauses, and counts the others", async () => {
    const ended = Array.from({ length: 12 }, (_, index) => paused(`evil/${index}`));
    const { stdout } = await resume({ ended, repositories: 1 });

    expect(stdout.split("\n").slice(10)).toEqual([
      "✓ The pauses of 2 more repositories have ended.",
      "Lookout checks 1 repository now.",
      "",
    ]);
  });

  it("says that nothing was paused, and ends with 0", async () => {
    expect(await resume({})).toMatchObject({ exitCode: 0, stdout: lines("✓ registry.test: nothing was paused.") });
  });

  it("of an unknown registry names the known ones", async () => {
    const message = "Lookout knows no registry nope.test. It knows registry.test";
    const body = problemOf("not-found", message);
    expect(
      await lookout(["registry", "resume", "nope.test"], {
        "POST /v1/registries/nope.test/resume": { status: 404, body },
      }),
    ).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(message) as string });
  });
});

describe("lookout registry", () => {
  it("lists the registries with their users, credential sources, limits and breakers", async () => {
    expect(await lookout(["registry", "list"], { "GET /v1/registries": { body: registries } })).toMatchObject({
      exitCode: 0,
      stdout: lines(
        "REGISTRY   HOSTS                      NAMESPACES       CREDENTIAL      LIMIT                           BREAKER",
        "shop       registry.test, pull.test   shop, prod/*     passwordEnv     10/s, 12 of 20 left, 8 leased   ✓ closed",
        "ghcr.io    ghcr.io                    all (no entry)   default login   none                            ✗ open, next request in 30 s: answered 503�[2J",
      ),
    });
  });

  it("lists the pauses of a registry and of its repositories, why and until when", async () => {
    const [shop, ghcr] = registries.registries;
    const listed = (...pauses: readonly PauseView[]): RegistriesView => ({
      at,
      registries: [
        {
          ...shop!,
          pauses,
          limit: pauses[0] && !pauses[0].repository ? { pausedUntil: pauses[0].until } : shop!.limit,
        },
        ghcr!,
      ],
    });
    const list = async (body: RegistriesView) => {
      const { exitCode, stdout } = await lookout(["registry", "list"], { "GET /v1/registries": { body } });
      const [, row, , ...rest] = stdout.split("\n");
      return { exitCode, row, rest };
    };

    const two = [paused("evil/x\u001b[2J", "2026-11-21T19:45:13.000Z"), paused("shop/api")];
    expect(await list(listed(...two))).toEqual({
      exitCode: 0,
      row: expect.stringContaining("10/s, 12 of 20 left, 8 leased; 2 paused") as string,
      rest: [
        "",
        "⏸ registry.test/evil/x\ufffd[2J is paused, next request in 30 s: registry.test answered 429, and asked for a pause until 20:45 CET",
        "⏸ registry.test/shop/api is paused, next request in 30 s: registry.test answered 429",
        "",
      ],
    });
    expect(await list(listed(paused()))).toEqual({
      exitCode: 0,
      row: expect.stringContaining("⏸ paused, next request in 30 s") as string,
      rest: ["", "⏸ registry.test is paused, next request in 30 s: registry.test answered 429", ""],
    });
    const many = await list(listed(...Array.from({ length: 12 }, (_, index) => paused(`evil/${index}`))));
    expect(many.rest).toHaveLength(13);
    expect(many.rest.at(-2)).toBe("  and 2 more paused repositories of registry.test");
  });

  it("checks a registry, and ends with 0 if no check failed", async () => {
    const body = checked(
      { check: "address", result: "ok", detail: "the registry answers" },
      { check: "clock", result: "not-checked", detail: "the registry did not send its time" },
    );
    const answers = { "POST /v1/registries/registry.test%3A5000/check": { body } };
    const typed = ["registry", "check", "registry.test:5000", "--repository", "shop/api"];

    expect(await lookout(typed, answers)).toMatchObject({
      exitCode: 0,
      asked: [{ body: { repository: "shop/api" } }],
      stdout: lines(
        "shop, checked with registry.test/shop/api",
        "✓ address          the registry answers",
        "– clock            the registry did not send its time",
        "",
        "No check failed.",
        "Lookout at http://127.0.0.1:4040, named by LOOKOUT_SERVER",
      ),
    });
    expect(JSON.parse((await lookout([...typed, "--output", "json"], answers)).stdout)).toEqual({
      apiVersion: "lookout.dev/v1",
      kind: "RegistryCheck",
      ...body,
    });
  });

  it("shows the reason and the remedy of a failed check, and ends with 1, or 4 for a refusal by lookout.yaml", async () => {
    const check = (body: RegistryChecksView) =>
      lookout(["registry", "check", "shop"], { "POST /v1/registries/shop/check": { body } });

    const untrusted = await check(checked({ check: "certificate", ...refusedFor("registry-not-trusted") }));
    expect(untrusted).toMatchObject({
      exitCode: 1,
      stdout: lines(
        "shop, checked with registry.test/shop/api",
        "✗ certificate      registry.test is not so",
        "                   It is wrong. Change it.",
        "                   In lookout.yaml: the entry: caFile",
        "",
        "1 of 1 checks failed.",
        "Lookout at http://127.0.0.1:4040, named by LOOKOUT_SERVER",
      ),
    });
    expect(await check(checked({ check: "address", ...refusedFor("registry-not-allowed") }))).toMatchObject({
      exitCode: 4,
    });
  });

  it("ends with 4 for a host that lookout.yaml does not allow, and shows the missing entry", async () => {
    const message = "no entry serves evil.test: registries: [{host: evil.test}]";
    const body = problemOf("registry-not-allowed", message);

    expect(
      await lookout(["registry", "check", "evil.test"], {
        "POST /v1/registries/evil.test/check": { status: 409, body },
      }),
    ).toMatchObject({ exitCode: 4, stderr: expect.stringContaining(message) as string });
  });
});

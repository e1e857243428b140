import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type ChannelFilter,
  endNames,
  eventGroups,
  matchesPattern,
  recoveryNames,
  showsWorkload,
  verdictOf,
} from "#domain/notify/filter";
import { type AnyFact, type Fact, factNames } from "#domain/update/events";
import { api, noon } from "../builders.ts";
import { oftenTried } from "../../property-runs.ts";

/** The meaning of a pattern, by a regular expression. */
const expressionOf = (pattern: string) =>
  new RegExp(`^${pattern.replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", "[^]*")}$`);

describe("a pattern of namespaces", () => {
  it("means what its regular expression means", () => {
    // Few letters, so that many patterns match.
    const text = (letters: readonly string[]) =>
      fc.array(fc.constantFrom(...letters), { maxLength: 9 }).map((all) => all.join(""));
    fc.assert(
      fc.property(text(["a", "b", "-", "*"]), text(["a", "b", "-"]), (pattern, name) => {
        expect(matchesPattern(pattern, name)).toBe(expressionOf(pattern).test(name));
      }),
      oftenTried,
    );
  });

  it("means that for any text", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (pattern, name) => {
        expect(matchesPattern(pattern, name)).toBe(expressionOf(pattern).test(name));
      }),
    );
  });

  it.each([
    ["shop", "shop", true, "the name itself"],
    ["shop", "shop-a", false, "no star, so no more text"],
    ["shop-*", "shop-", true, "a star may stand for nothing"],
    ["*", "", true, "a star may stand for everything"],
    ["a*a", "a", false, "one letter is not both ends"],
    ["ab*ba", "aba", false, "the ends do not overlap"],
    ["*shop*", "my-shop-1", true, "in the middle"],
    ["a*b*c", "acbc", true, "the parts in their order"],
    ["a*b*c", "acb", false, "the last part is the end"],
  ])("%s and %s: %s, %s", (pattern, name, matches) => {
    expect(matchesPattern(pattern, name)).toBe(matches);
  });

  it("of many stars is decided at once", () => {
    const begun = performance.now();

    expect(matchesPattern(`${"a*".repeat(30)}b`, "a".repeat(60_000))).toBe(false);
    expect(performance.now() - begun).toBeLessThan(1_000);
  });
});

const fact = (name: Fact["name"], given: Partial<Fact> = {}): Fact => ({
  ...{
    name,
    id: `uid-1/1/1/${name}`,
    workload: api,
    uid: "uid-1",
    seq: 1,
    version: 1,
    at: noon,
    changes: [],
    reasons: [],
  },
  ...given,
});

const unreachable: AnyFact = {
  ...{ name: "RegistryUnreachable", id: "r/1/RegistryUnreachable", registry: "r", since: noon, at: noon, detail: "" },
};

const filter = (given: Partial<ChannelFilter> = {}): ChannelFilter => ({
  ...{ form: "updates", names: [...eventGroups.rollouts, ...eventGroups.failures], minSeverity: "info" },
  ...given,
});

describe("a fact", () => {
  it.each<{ given?: Partial<ChannelFilter>; told: AnyFact; verdict: string | undefined; why: string }>([
    { told: fact("RolloutStarted"), verdict: "opens", why: "it is named" },
    { told: fact("UpdateHeld"), verdict: undefined, why: "it is not named, and no end" },
    { told: fact("UpdateSuperseded"), verdict: "follows", why: "it ends what was told" },
    { given: { form: "facts" }, told: fact("UpdateSuperseded"), verdict: undefined, why: "facts follow nothing" },
    { given: { form: "incidents" }, told: fact("HoldEnded"), verdict: "follows", why: "it may end an incident" },
    {
      given: { form: "incidents" },
      told: fact("WorkloadUntracked"),
      verdict: "follows",
      why: "it may end an incident",
    },
    {
      given: { minSeverity: "error" },
      told: fact("RolloutStarted"),
      verdict: undefined,
      why: "it is not severe enough",
    },
    {
      given: { minSeverity: "error" },
      told: fact("RolloutSucceeded"),
      verdict: "follows",
      why: "an end is told nevertheless",
    },
    { given: { minSeverity: "error" }, told: fact("RolledBack"), verdict: "opens", why: "it is severe enough" },
    {
      given: { minSeverity: "critical" },
      told: fact("RolledBack"),
      verdict: "follows",
      why: "it is below, and an end",
    },
    {
      given: { names: ["UpdateHeld"], minSeverity: "warning" },
      told: fact("UpdateHeld", { reasons: [{ reason: "quarantined" }] }),
      verdict: "opens",
      why: "a reason that needs a person is severe",
    },
    {
      given: { names: ["UpdateHeld"], minSeverity: "warning" },
      told: fact("UpdateHeld", { reasons: [{ reason: "needs-approval" }] }),
      verdict: undefined,
      why: "an approval is asked for by a fact of its own",
    },
    {
      given: { form: "facts", names: ["UpdateHeld"] },
      told: fact("UpdateHeld", { again: true }),
      verdict: undefined,
      why: "it was told before",
    },
    {
      given: { names: ["UpdateHeld"] },
      told: fact("UpdateHeld", { again: true }),
      verdict: "opens",
      why: "the message is compared anyway",
    },
    { given: { clusters: ["stage"] }, told: fact("RolledBack"), verdict: undefined, why: "another cluster" },
    { given: { clusters: ["stage", "prod"] }, told: fact("RolledBack"), verdict: "opens", why: "one of its clusters" },
    {
      given: { namespaces: { allow: ["sh*"] } },
      told: fact("RolledBack"),
      verdict: "opens",
      why: "an allowed namespace",
    },
    {
      given: { namespaces: { allow: ["web"] } },
      told: fact("RolledBack"),
      verdict: undefined,
      why: "no allowed namespace",
    },
    {
      given: { namespaces: { allow: ["*"], deny: ["shop"] } },
      told: fact("RolledBack"),
      verdict: undefined,
      why: "deny wins",
    },
    { given: { namespaces: { deny: ["web"] } }, told: fact("RolledBack"), verdict: "opens", why: "nothing denies it" },
    {
      given: { onlyNamed: true },
      told: fact("RolledBack"),
      verdict: undefined,
      why: "no annotation names the channel",
    },
    {
      given: { onlyNamed: true },
      told: fact("RolledBack", { channels: ["other"] }),
      verdict: undefined,
      why: "it names another",
    },
    {
      given: { onlyNamed: true },
      told: fact("RolledBack", { channels: ["other", "team"] }),
      verdict: "opens",
      why: "it names the channel",
    },
    {
      given: { form: "facts", names: ["RegistryUnreachable"] },
      told: unreachable,
      verdict: "opens",
      why: "a registry, as data",
    },
    {
      given: { form: "facts", names: ["RegistryUnreachable"], clusters: ["stage"] },
      told: unreachable,
      verdict: "opens",
      why: "a registry has no cluster",
    },
    {
      given: { names: ["RegistryUnreachable"] },
      told: unreachable,
      verdict: undefined,
      why: "a registry is no update",
    },
    {
      given: { form: "incidents", names: ["RegistryUnreachable"] },
      told: unreachable,
      verdict: undefined,
      why: "nor an incident",
    },
  ])("$told.name is $verdict at $given: $why", ({ given, told, verdict }) => {
    expect(verdictOf(filter(given), "team", told)).toBe(verdict);
  });

  it("is told to no channel whose scope is elsewhere, whatever it is", () => {
    const elsewhere: readonly Partial<ChannelFilter>[] = [
      { clusters: ["stage"] },
      { namespaces: { deny: ["*"] } },
      { onlyNamed: true },
    ];
    for (const form of ["facts", "updates", "incidents"] as const)
      for (const scope of elsewhere)
        expect(
          factNames.filter((name) => verdictOf(filter({ form, names: factNames, ...scope }), "team", fact(name))),
        ).toEqual([]);
  });

  it("follows at each form as its list says", () => {
    const followers = (form: ChannelFilter["form"]) => {
      const nothing = filter({ form, names: [] });
      return factNames.filter((name) => verdictOf(nothing, "team", fact(name)) === "follows").toSorted();
    };

    expect([followers("facts"), followers("updates"), followers("incidents")]).toEqual([
      [],
      [...endNames].toSorted(),
      [...recoveryNames].toSorted(),
    ]);
  });
});

it("each fact is in one group at most", () => {
  const all: readonly string[] = Object.values(eventGroups).flat();

  expect(all.length).toBe(new Set(all).size);
});

it("a channel without a scope shows every workload", () => {
  expect(showsWorkload(filter(), { cluster: "any", namespace: "any" })).toBe(true);
});

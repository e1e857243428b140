import { beforeAll, describe, expect, it } from "vitest";
import { channelPattern, longestPattern } from "#contracts/messages/channel-pattern";
import { eventDetail } from "#contracts/messages/events";
import {
  isScoped,
  type ChannelFilter,
  eventGroups,
  matchesPattern,
  type ToldName,
  verdictOf,
} from "#domain/notify/filter";
import { severities } from "#domain/notify/words";
import { registryFactNames } from "#domain/registry/outage";
import { epochMs } from "#domain/shared/time";
import { type AnyFact, type Fact, factNames } from "#domain/update/events";
import { type Chance, chanceFrom } from "#test/model/chance";
import { ownAccount } from "./ecr-events.ts";
import { type Verdict, verdicts } from "./event-ruler.ts";

const channel = "ops";
const at = epochMs(1_790_000_000_000);
const clusters = ["prod", "stage", "prod-2"];
// Names of which one is the start, the middle or the end of another.
const namespaces = ["shop", "shop-api", "shop-test", "a-shop", "pay", "kube-system", "s"];
const patterns = ["shop", "shop-*", "*-test", "*shop*", "*", "s**p", "*-*-*", "s-*-*-*-x", "pay", "p*y", "*s"];
const groups: readonly (readonly ToldName[])[] = [
  ...Object.values(eventGroups),
  [...factNames, ...registryFactNames, "PushDisputed"],
  ["RolloutFailed"],
];

function some<One>(chance: Chance, all: readonly One[]): readonly One[] {
  const taken = all.filter(() => chance.happens(0.3));
  return taken.length === 0 ? [chance.pick(all)] : taken;
}

function aFilter(chance: Chance): ChannelFilter {
  const named = {
    ...(chance.happens(0.6) ? { allow: some(chance, patterns) } : {}),
    ...(chance.happens(0.5) ? { deny: some(chance, patterns) } : {}),
  };
  return {
    form: chance.pick(["facts", "updates", "incidents"] as const),
    names: chance.pick(groups),
    minSeverity: chance.pick(severities),
    clusters: chance.happens(0.5) ? some(chance, clusters) : undefined,
    namespaces: chance.happens(0.7) ? named : undefined,
    onlyNamed: chance.happens(0.3),
  };
}

function aFact(chance: Chance): AnyFact {
  const name = chance.pick([...factNames, ...factNames, ...registryFactNames, "PushDisputed"] as const);
  if (name === "PushDisputed")
    return {
      name,
      id: "p/PushDisputed",
      correlationId: "p",
      registry: "r.test",
      repository: "a",
      tag: "1",
      source: "s",
      at,
    };
  if (name === "RegistryUnreachable" || name === "RegistryRecovered")
    return { name, id: `r/1/${name}`, registry: "r.test", since: at, at, detail: "timeout" };
  const fact: Fact = {
    ...{ name, id: `u/1/2/${name}`, uid: "u", seq: 1, version: 2, at, changes: [] },
    workload: { cluster: chance.pick(clusters), namespace: chance.pick(namespaces), kind: "Deployment", name: "api" },
    reasons: chance.happens(0.3) ? [{ reason: "quarantined" }] : [],
  };
  return {
    ...fact,
    ...(chance.happens(0.2) ? { again: true } : {}),
    ...(chance.happens(0.5) ? { channels: some(chance, [channel, "ops-2", "other"]) } : {}),
  };
}

const chance = chanceFrom(42);
const filters = Array.from({ length: 300 }, () => aFilter(chance)).filter(
  (filter) =>
    // lookout.yaml refuses a channel that would never tell anything.
    (filter.form === "facts" && !isScoped(filter)) ||
    filter.names.some((name) => factNames.some((known) => known === name)),
);
const facts = Array.from({ length: 300 }, () => aFact(chance));

/** Returns whether the function ignores a fact although the rule sends it, as `channelPattern` says. */
function mayBeIgnored({ namespaces: { allow = [], deny = [] } = {} }: ChannelFilter, fact: AnyFact): boolean {
  if (!("workload" in fact)) return false;
  const { namespace } = fact.workload;
  const isDenied = deny.some((pattern) => matchesPattern(pattern, namespace));
  const isLong = (pattern: string) => pattern.replaceAll(/\*+/g, "*").split("*").length > 3;
  return isDenied
    ? allow.length > 0 || deny.some(isLong)
    : allow.some((pattern) => isLong(pattern) && namespace.startsWith(pattern.slice(0, pattern.indexOf("*"))));
}

function eventOf(fact: AnyFact): object {
  const frame = { version: "0", id: "e", account: ownAccount, region: "eu-central-1", time: "2026-09-21T14:13:20Z" };
  return { ...frame, source: "lookout", "detail-type": fact.name, detail: eventDetail(fact) };
}

describe("the rule of a channel, in EventBridge's own matcher", () => {
  let taken: readonly Verdict[];
  beforeAll(async () => {
    const events = facts.map(eventOf);
    const others = facts.slice(0, 20).map((fact) => ({ ...eventOf(fact), account: "210987654321" }));
    const questions = filters.map((filter) => channelPattern(filter, channel, ownAccount));
    taken = await verdicts([
      ...questions.map((pattern) => ({ pattern, events })),
      ...questions.map((pattern) => ({ pattern, events: others })),
    ]);
  });

  it("is valid and short enough for every filter", () => {
    const patternsOf = filters.map((filter) => channelPattern(filter, channel, ownAccount));

    expect(taken.filter((verdict) => typeof verdict === "string")).toEqual([]);
    expect(patternsOf.filter((pattern) => JSON.stringify(pattern).length > longestPattern)).toEqual([]);
  });

  it("sends every fact that the channel tells, and no other but those that it is said to send", () => {
    const wrong = filters.flatMap((filter, row) =>
      facts.flatMap((fact, column) => {
        const isTold = verdictOf(filter, channel, fact) !== undefined;
        const isSent = taken[row]?.[column] === true;
        if (isTold === isSent) return [];
        return !isTold && mayBeIgnored(filter, fact) ? [] : [{ filter, fact, isTold, isSent }];
      }),
    );

    expect(wrong).toEqual([]);
  });

  it("sends no fact of another account", () => {
    expect(taken.slice(filters.length).flat().filter(Boolean)).toEqual([]);
  });

  it("is tested with thousands of told facts", () => {
    const told = filters.flatMap((filter) => facts.filter((fact) => verdictOf(filter, channel, fact) !== undefined));
    const sent = taken.slice(0, filters.length).flat().filter(Boolean);
    console.log(`${filters.length * facts.length} pairs, ${told.length} told, ${sent.length} sent`);

    expect(told.length).toBeGreaterThan(3_000);
    expect(sent.length).toBeLessThan(1.2 * told.length);
  });
});

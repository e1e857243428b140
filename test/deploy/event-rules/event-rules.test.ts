import { beforeAll, describe, expect, it } from "vitest";
import { imagePushedSchema } from "#contracts/messages/event-schemas";
import { ecrPushTransform, eventDetail } from "#contracts/messages/events";
import { type EventBridgeEvent, isEcrPush, transformed } from "#adapters/webhook/ecr-rule";
import { isObject } from "#domain/shared/json";
import { epochMs } from "#domain/shared/time";
import { aPush, ownAccount, recordedEvents, type Variation, variations } from "./ecr-events.ts";
import { type Verdict, verdicts } from "./event-ruler.ts";
import { synthesizedPatterns } from "./synthesized-patterns.ts";

const otherAccount = "210987654321";
const patterns = synthesizedPatterns(ownAccount, otherAccount);

/** The accounts whose pushes each rule matches, by the rule's description. */
const accountsOf = {
  "Pushes to ECR of this account": [ownAccount],
  "Pushes to ECR of other regions and accounts": [ownAccount, otherAccount],
  "Pushes to ECR of this account, for Lookout": [otherAccount],
} as const;
type PushRule = keyof typeof accountsOf;
const pushRules = Object.keys(accountsOf) as PushRule[];
const publishedRule = "Pushes of webhooks and sweeps";
const archive = "The events of Lookout's bus in the last thirty days";
type RuleName = PushRule | typeof publishedRule | typeof archive;

interface Case {
  readonly what: string;
  readonly event: unknown;
  /** The rules that match the event. */
  readonly takenBy: readonly RuleName[];
}

/**
 * Returns the rules that match an event with some variations. A rule decides by itself only about
 * the account.
 */
function takers(some: readonly Variation[]): readonly RuleName[] {
  if (some.some(({ member, stillOurs }) => !stillOurs && member !== "account")) return [];
  const account = some.find(({ member }) => member === "account")?.change(aPush).account ?? ownAccount;
  return pushRules.filter((name) => (accountsOf[name] as readonly string[]).includes(account));
}

function variedEvents(): readonly Case[] {
  const single = variations.map((one) => [one]);
  const pairs = variations.flatMap((one, index) =>
    variations
      .slice(index + 1)
      .filter(({ member }) => member !== one.member)
      .map((other) => [one, other]),
  );
  return [[], ...single, ...pairs].map((some) => ({
    what: some.map(({ what }) => what).join(", ") || "a push",
    event: some.reduce((event, { change }) => change(event), aPush),
    takenBy: takers(some),
  }));
}

const ownEvents: readonly Case[] = (
  [
    { source: "lookout", "detail-type": "ImagePushed", takenBy: [publishedRule] },
    { source: "lookout", "detail-type": "ImagePushed", account: otherAccount, takenBy: [] },
    { source: "lookout", "detail-type": "RolloutSucceeded", takenBy: [] },
    { source: "lookout.dev", "detail-type": "ImagePushed", takenBy: [] },
    { source: "aws.ecr", "detail-type": "ImagePushed", takenBy: [] },
  ] as const
).map(({ takenBy, ...event }) => ({ what: Object.values(event).join(" "), event: asEvent(event), takenBy }));

function asEvent(event: object): object {
  const push = { name: "ImagePushed", id: "p", registry: "r.test", repository: "a", source: "test" } as const;
  return { ...aPush, ...event, detail: eventDetail({ ...push, at: epochMs(1) }) };
}

const recorded = recordedEvents();
const cases: readonly Case[] = [
  ...variedEvents(),
  ...ownEvents,
  ...recorded.map(({ because, event, push }) => ({
    what: because,
    event,
    takenBy: push === undefined ? [] : takers([]),
  })),
];

/** A replayed event. EventBridge itself excludes replayed events from their archive. */
const replayed: Case = { what: "a replayed push", event: { ...aPush, "replay-name": "again" }, takenBy: takers([]) };

const all = [...cases, replayed];

function takes(name: string, { event, takenBy }: Case): boolean {
  if (name !== archive) return takenBy.some((rule) => rule === name);
  return isObject(event) && "account" in event;
}

describe("the event patterns of the stack", () => {
  let taken: readonly Verdict[];
  beforeAll(async () => {
    const events = all.map(({ event }) => event);
    taken = await verdicts([...patterns.values()].map((pattern) => ({ pattern, events })));
  });

  it("are exactly these", () => {
    expect([...patterns.keys()].toSorted()).toEqual([...pushRules, publishedRule, archive].toSorted());
  });

  it.each([...patterns.keys()].map((rule, row) => ({ rule, row })))(
    "$rule: accepts exactly the right events",
    ({ rule, row }) => {
      const wrong = all.filter((one, index) => taken[row]?.[index] !== takes(rule, one));
      expect(wrong.map(({ what }) => what)).toEqual([]);
      expect(taken[row]).toHaveLength(all.length);
    },
  );

  it.each(pushRules)("%s: accepts the same events as Lookout's own predicate", (rule) => {
    const row = taken[[...patterns.keys()].indexOf(rule)];
    const wrong = all.filter(({ event }, index) => {
      if (!isObject(event) || !isObject(event["detail"])) return row?.[index] !== false;
      return row?.[index] !== isEcrPush(event as EventBridgeEvent, accountsOf[rule]);
    });
    expect(wrong.map(({ what }) => what)).toEqual([]);
  });

  it("are tested with hundreds of pairs of a rule and an event", () => {
    const answers = taken.flat();
    console.log(`${answers.length} pairs, ${answers.filter(Boolean).length} taken`);
    expect(answers.length).toBeGreaterThanOrEqual(300);
    expect(answers.filter(Boolean).length).toBeGreaterThanOrEqual(60);
  });
});

describe("the transformed push of a rule", () => {
  const transform = ecrPushTransform("amazonaws.com");

  it.each(recorded.filter(({ push }) => push !== undefined))("is the push: $because", ({ event, push }) => {
    if (push === undefined) throw new Error("only pushes are asked for");
    const { registry, repository, digest, pushedAt } = push;
    expect(imagePushedSchema.parse(JSON.parse(transformed(transform, event)))).toEqual({
      ...{ name: "ImagePushed", id: (event as { id: string }).id, source: "ecr" },
      ...{ registry, repository, tag: push.tags[0], ...(digest === null ? {} : { digest }) },
      at: Date.parse(pushedAt),
    });
  });

  it("is valid whenever the rule accepts the event", () => {
    const taken = cases.filter(({ takenBy }) => takenBy.includes("Pushes to ECR of other regions and accounts"));
    const read = taken.filter(
      ({ event }) => imagePushedSchema.safeParse(JSON.parse(transformed(transform, event))).success,
    );
    expect(read).toHaveLength(taken.length);
  });
});

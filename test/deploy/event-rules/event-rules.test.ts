import { beforeAll, describe, expect, it } from "vitest";
import { imagePushedSchema } from "#contracts/event-schemas";
import { ecrPushPattern, ecrPushTransform, eventDetail, imagePushedPattern } from "#contracts/events";
import { transformed } from "#contracts/input-transformer";
import { epochMs } from "#domain/time";
import { aPush, ownAccount, recordedEvents, type Variation, variations } from "./ecr-events.ts";
import { type Verdict, verdicts } from "./event-ruler.ts";

const otherAccount = "210987654321";

/** The rules of an installation, and whose pushes each takes. */
const rules = {
  ours: ecrPushPattern([ownAccount]),
  oursAndAnother: ecrPushPattern([otherAccount, ownAccount]),
  another: ecrPushPattern([otherAccount]),
  imagePushed: imagePushedPattern(ownAccount),
};
type RuleName = keyof typeof rules;
const accountsOf: Readonly<Record<RuleName, readonly string[]>> = {
  ours: [ownAccount],
  oursAndAnother: [ownAccount, otherAccount],
  another: [otherAccount],
  imagePushed: [],
};

interface Case {
  readonly what: string;
  readonly event: unknown;
  readonly takenBy: readonly RuleName[];
}

/** A variation of the account is ours by another list; everything else is a push or is none, whoever asks. */
function takers(some: readonly Variation[]): readonly RuleName[] {
  if (some.some(({ member, stillOurs }) => !stillOurs && member !== "account")) return [];
  const account = some.find(({ member }) => member === "account")?.change(aPush).account ?? ownAccount;
  return (Object.keys(rules) as RuleName[]).filter((name) => accountsOf[name].includes(account));
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
    { source: "lookout", "detail-type": "ImagePushed", takenBy: ["imagePushed"] },
    { source: "lookout", "detail-type": "RolloutSucceeded", takenBy: [] },
    { source: "lookout.dev", "detail-type": "ImagePushed", takenBy: [] },
    { source: "aws.ecr", "detail-type": "ImagePushed", takenBy: [] },
  ] as const
).map(({ takenBy, ...event }) => ({ what: `${event.source} ${event["detail-type"]}`, event: asEvent(event), takenBy }));

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
    takenBy: push === undefined ? [] : (["ours", "oursAndAnother"] as const),
  })),
];

describe("the rules, by EventBridge's own matcher", () => {
  let taken: readonly Verdict[];
  beforeAll(async () => {
    const events = cases.map(({ event }) => event);
    taken = await verdicts(Object.values(rules).map((pattern) => ({ pattern, events })));
  });

  it.each((Object.keys(rules) as RuleName[]).map((rule, row) => ({ rule, row })))(
    "$rule takes what it must, and nothing else",
    ({ rule, row }) => {
      const wrong = cases.filter(({ takenBy }, index) => taken[row]?.[index] !== takenBy.includes(rule));
      expect(wrong.map(({ what }) => what)).toEqual([]);
      expect(taken[row]).toHaveLength(cases.length);
    },
  );

  it("were asked about hundreds of pairs of a rule and an event, many of them taken", () => {
    const answers = taken.flat();
    console.log(`${answers.length} pairs, ${answers.filter(Boolean).length} taken`);
    expect(answers.length).toBeGreaterThanOrEqual(300);
    expect(answers.filter(Boolean).length).toBeGreaterThanOrEqual(60);
  });
});

describe("the message that a rule makes of a push", () => {
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

  it("can be read whenever the rule takes the event", () => {
    const taken = cases.filter(({ takenBy }) => takenBy.includes("oursAndAnother"));
    const read = taken.filter(
      ({ event }) => imagePushedSchema.safeParse(JSON.parse(transformed(transform, event))).success,
    );
    expect(read).toHaveLength(taken.length);
  });
});

import { describe, expect, it } from "vitest";
import { dedupKey, open } from "#channels/pagerduty/channel";
import { epochMs } from "#domain/shared/time";
import { type DecisionRow, type Trouble, troubleOf } from "#domain/notify/story";
import type { IncidentsSender } from "#ports/channels";
import { allowNetworks, change, failure, failureText, hostile, huge, rolledBack, toolsWith } from "../sending.ts";
import { invalidEvent, pagerDutyStandIn, type PagerDutyStandIn, throttled } from "../stand-ins/pagerduty.ts";
import { type Reply, taken } from "../stand-ins/stand-in.ts";

const now = epochMs(Date.parse("2026-11-28T01:00:03Z"));
const name = "prod/shop/deployment/api/uid-1";

const rows = (
  what: "rolled-back" | "rollback-failed" = "rolled-back",
  given: Partial<DecisionRow["transition"]> = {},
): readonly DecisionRow[] => [
  {
    ...{ workload: "prod/shop/deployment/api", uid: "uid-1", seq: 4, version: 9, at: rolledBack.at },
    transition: { seq: 4, what, reasons: [failure], changes: [change], ...given },
  },
];

function trouble(...given: Parameters<typeof rows>): Trouble {
  const found = troubleOf(rows(...given));
  if (found === undefined) throw new Error("the rows show no trouble");
  return found;
}

function sender(pager: PagerDutyStandIn, secret = pager.routingKey): IncidentsSender {
  const opened = open({ name: "pager", address: `${pager.url}/`, allowNetworks }, toolsWith(secret));
  if ("problem" in opened) throw new Error(opened.problem);
  return opened;
}

describe("an integration key", () => {
  it.each(["", "short", "0123456789abcdef0123456789abcde!", `${"0".repeat(32)} ${"1".repeat(32)}`])(
    "is 32 letters and digits, and not %o",
    (secret) => {
      expect(open({ name: "pager", address: "https://events.pagerduty.com" }, toolsWith(secret))).toEqual({
        problem: "the integration key is not 32 letters and digits",
      });
    },
  );
});

describe("an incident", () => {
  it("tells what failed, where, and what to do next", async () => {
    await using pager = await pagerDutyStandIn();
    const pagerduty = sender(pager);

    expect(await pagerduty.open(pagerduty.render(trouble()), name)).toEqual({ kind: "told" });
    expect(pager.received).toMatchObject([{ path: "/v2/enqueue", headers: { "content-type": "application/json" } }]);
    const summary = "prod/shop/api: rolled back to 1.0.0; 1.1.0 is blocked here until lookout unblock shop/api";
    expect(pager.incidents).toMatchObject([{ dedupKey: "lookout/abc123/uid-1", status: "triggered", summary }]);
    expect(pager.incidents[0]!.events[0]!.body).toEqual({
      routing_key: pager.routingKey,
      event_action: "trigger",
      dedup_key: "lookout/abc123/uid-1",
      client: "Lookout",
      payload: {
        summary,
        severity: "error",
        source: "prod/shop/deployment/api",
        component: "api",
        group: "prod/shop",
        class: "rolled-back",
        timestamp: "2026-11-28T01:00:00.000Z",
        custom_details: {
          changes: ["app: registry.test/shop/api:1.0.0 → registry.test/shop/api:1.1.0"],
          reasons: [`${failureText.sentence} ImagePullBackOff in pod api-7 ${failureText.remedy}`],
          steps: [
            "2026-11-28T01:00:00.000Z rolled back to 1.0.0; 1.1.0 is blocked here until lookout unblock shop/api",
          ],
          next: "lookout explain shop/api",
        },
      },
    });
  });

  it("is critical if the rollback failed", async () => {
    await using pager = await pagerDutyStandIn();
    const pagerduty = sender(pager);
    await pagerduty.open(pagerduty.render(trouble("rollback-failed")), name);

    expect(pager.incidents).toMatchObject([{ severity: "critical" }]);
  });

  it("is resolved, and the next failure of the workload opens another one", async () => {
    await using pager = await pagerDutyStandIn();
    const pagerduty = sender(pager);
    const incident = pagerduty.render(trouble());
    await pagerduty.open(incident, name);
    expect(await pagerduty.resolve(name)).toEqual({ kind: "told" });
    await pagerduty.open(incident, name);

    expect(pager.incidents.map(({ dedupKey: key, status }) => [key, status])).toEqual([
      ["lookout/abc123/uid-1", "resolved"],
      ["lookout/abc123/uid-1", "triggered"],
    ]);
    expect(pager.received[1]!.body).toBe(
      `{"routing_key":"${pager.routingKey}","event_action":"resolve","dedup_key":"lookout/abc123/uid-1"}`,
    );
  });

  it("that is opened twice, because an answer was lost, is one incident", async () => {
    await using pager = await pagerDutyStandIn();
    const pagerduty = sender(pager);
    pager.answerNext(taken("cut"));
    const incident = pagerduty.render(trouble());

    expect(await pagerduty.open(incident, name)).toMatchObject({ kind: "later" });
    expect(await pagerduty.open(incident, name)).toEqual({ kind: "told" });
    expect(pager.incidents).toHaveLength(1);
  });

  it("with texts and lists beyond all limits is cut to what PagerDuty takes", async () => {
    await using pager = await pagerDutyStandIn();
    const pagerduty = sender(pager);
    const large = trouble("rollback-failed", {
      changes: huge.changes,
      reasons: huge.reasons,
      detail: hostile.repeat(9_999),
    });

    expect(await pagerduty.open(pagerduty.render(large), `prod/shop/deployment/api/${"u".repeat(400)}`)).toEqual({
      kind: "told",
    });
    const { summary } = pager.incidents[0]!;
    expect([summary.length, summary.at(-1)]).toEqual([1_024, "…"]);
    expect(pager.received[0]!.body.length).toBeLessThan(30_000);
  });

  it("with hostile text shows it as one line without invisible characters", async () => {
    await using pager = await pagerDutyStandIn();
    const pagerduty = sender(pager);
    const reasons = [{ ...failure, detail: hostile }];
    await pagerduty.open(pagerduty.render(trouble("rollback-failed", { reasons })), name);

    expect(pager.incidents[0]!.summary).toBe(
      `prod/shop/api: not recovered ${failureText.sentence.replace(/\.$/, "")}: ` +
        "<!channel> <@U123> @here @everyone <https://evil.test|x> [x](javascript:alert(1)) https://evil.test www.evil.test ``` *b* _i_ ~s~ \ufffd\\u{202e} > q \ufffd",
    );
  });
});

describe("the key of an incident", () => {
  it.each([
    ["prod/shop/deployment/api/uid-1", "lookout/abc123/uid-1"],
    ["prod/shop/deployment/renamed/uid-1", "lookout/abc123/uid-1"],
    ["uid-1", "lookout/abc123/uid-1"],
  ])("of %s is %s", (given, key) => {
    expect(dedupKey("abc123", given)).toBe(key);
  });

  it("is as long as PagerDuty allows, always the same, and never that of another object", () => {
    const long = (end: string) => dedupKey("abc123", `prod/shop/deployment/api/${"u".repeat(400)}${end}`);

    expect(long("1").length).toBeLessThanOrEqual(255);
    expect(long("1")).toBe(long("1"));
    expect(long("1")).not.toBe(long("2"));
  });
});

describe("a test of the channel", () => {
  it("is a change event, which pages nobody", async () => {
    await using pager = await pagerDutyStandIn();

    expect(await sender(pager).tryOut(now)).toEqual({ kind: "told" });
    expect([pager.incidents, pager.changes]).toEqual([
      [],
      [
        {
          routing_key: pager.routingKey,
          payload: {
            summary: "A test of lookout channel test",
            source: "lookout/abc123",
            timestamp: "2026-11-28T01:00:03.000Z",
          },
        },
      ],
    ]);
  });
});

describe("an answer of PagerDuty", () => {
  it.each<{ reply: Reply; means: object }>([
    {
      reply: invalidEvent("'payload.summary' is missing"),
      means: { kind: "refused", why: "PagerDuty refuses the event (400)" },
    },
    {
      reply: invalidEvent("Invalid routing key"),
      means: { kind: "off", why: "PagerDuty refuses the integration key" },
    },
    { reply: { status: 400, body: "<html>" }, means: { kind: "refused", why: "PagerDuty refuses the event (400)" } },
    { reply: { status: 401 }, means: { kind: "off", why: "the server answered 401" } },
    { reply: { status: 403 }, means: { kind: "off", why: "the server answered 403" } },
    { reply: { status: 404 }, means: { kind: "later", why: "the server answered 404" } },
    { reply: { status: 413 }, means: { kind: "refused", why: "the server answered 413" } },
    { reply: throttled(), means: { kind: "later", why: "the server answered 429", after: 30_000 } },
    { reply: throttled(7), means: { kind: "later", why: "the server answered 429", after: 7_000 } },
    { reply: { status: 500 }, means: { kind: "later", why: "the server answered 500" } },
    { reply: { status: 502 }, means: { kind: "later", why: "the server answered 502" } },
  ])("$reply means $means.kind", async ({ reply, means }) => {
    await using pager = await pagerDutyStandIn();
    const pagerduty = sender(pager);
    pager.answerNext(reply);

    expect(await pagerduty.open(pagerduty.render(trouble()), name)).toEqual(means);
    expect(pager.received).toHaveLength(1);
  });

  it("to a key of another account turns the channel off, and shows no key", async () => {
    await using pager = await pagerDutyStandIn();
    const answer = await sender(pager, "f".repeat(32)).resolve(name);

    expect(answer).toEqual({ kind: "off", why: "PagerDuty refuses the integration key" });
  });
});

import { describe, expect, it } from "vitest";
import { type PagerDutyStandIn, invalidEvent, pagerDutyStandIn, throttled } from "./pagerduty.ts";
import { movedClock, post } from "./post.ts";

const payload = { summary: "shop/api: the rollback failed", source: "production", severity: "critical" };

async function enqueue(pagerDuty: PagerDutyStandIn, event: object) {
  const body = JSON.stringify({ routing_key: pagerDuty.routingKey, ...event });
  const answer = await post(`${pagerDuty.url}/v2/enqueue`, { "content-type": "application/json" }, body);
  return {
    status: answer.status,
    ...(JSON.parse(answer.body) as { message: string; errors?: string[] }),
    code: answer.status,
  };
}

const trigger = { event_action: "trigger", dedup_key: "lookout/home/uid", payload };
const resolve = { event_action: "resolve", dedup_key: "lookout/home/uid" };

describe("PagerDuty", () => {
  it("opens one incident for each key, resolves it, and opens another one later", async () => {
    await using pagerDuty = await pagerDutyStandIn();
    const statuses = (): string[] => pagerDuty.incidents.map(({ dedupKey, status }) => `${dedupKey} ${status}`);

    expect(await enqueue(pagerDuty, trigger)).toEqual({
      ...{ code: 202, status: "success", message: "Event processed", dedup_key: "lookout/home/uid" },
    });
    await enqueue(pagerDuty, trigger);
    await enqueue(pagerDuty, { event_action: "trigger", payload });
    expect(statuses()).toEqual(["lookout/home/uid triggered", "generated-2 triggered"]);
    await enqueue(pagerDuty, { ...resolve, event_action: "acknowledge" });
    await enqueue(pagerDuty, trigger);
    expect(statuses()).toEqual(["lookout/home/uid acknowledged", "generated-2 triggered"]);
    await enqueue(pagerDuty, resolve);
    await enqueue(pagerDuty, resolve);
    await enqueue(pagerDuty, trigger);
    expect(statuses()).toEqual(["lookout/home/uid resolved", "generated-2 triggered", "lookout/home/uid triggered"]);
    expect(
      pagerDuty.incidents.map(({ summary, severity, events }) => [
        summary,
        severity,
        events.map(({ action }) => action),
      ]),
    ).toEqual([
      [payload.summary, "critical", ["trigger", "trigger", "acknowledge", "trigger", "resolve"]],
      [payload.summary, "critical", ["trigger"]],
      [payload.summary, "critical", ["trigger"]],
    ]);
    expect(pagerDuty.dropped.map(({ action }) => action)).toEqual(["resolve"]);
  });

  it.each([
    {
      with: "a short key",
      event: { routing_key: "a" },
      error: "Length of 'routing_key' is incorrect (should be 32 characters)",
    },
    {
      with: "a key with signs",
      event: { routing_key: "-".repeat(32) },
      error: "'routing_key' cannot contain non-alphanumeric characters.",
    },
    { with: "another key", event: { routing_key: "a".repeat(32) }, error: "Invalid routing key" },
    {
      with: "another action",
      event: { event_action: "open" },
      error: "'event_action' is missing or invalid (should be trigger, acknowledge or resolve)",
    },
    {
      with: "a dedup_key of 256 characters",
      event: { dedup_key: "a".repeat(256) },
      error: "'dedup_key' is too long (maximum is 255 characters)",
    },
    { with: "no dedup_key", event: { ...resolve, dedup_key: undefined }, error: "'dedup_key' is missing or blank" },
    { with: "no payload", event: { payload: undefined }, error: "'payload' is missing or invalid" },
    {
      with: "a summary of 1,025 characters",
      event: { payload: { ...payload, summary: "a".repeat(1_025) } },
      error: "'payload.summary' is too long (maximum is 1024 characters)",
    },
    {
      with: "no summary",
      event: { payload: { ...payload, summary: "" } },
      error: "'payload.summary' is missing or blank",
    },
    {
      with: "no source",
      event: { payload: { ...payload, source: undefined } },
      error: "'payload.source' is missing or blank",
    },
    {
      with: "another severity",
      event: { payload: { ...payload, severity: "notice" } },
      error: "'payload.severity' is invalid (should be critical, error, warning or info)",
    },
    {
      with: "another time",
      event: { payload: { ...payload, timestamp: "noon" } },
      error: "'payload.timestamp' is invalid",
    },
    {
      with: "a link without address",
      event: { links: [{ text: "a" }] },
      error: "'links' is invalid (each needs a 'href')",
    },
    { with: "more than 512 KB", event: { client: "a".repeat(512 * 1_024) }, error: "the event is larger than 512 KB" },
  ])("refuses an event with $with", async ({ event, error }) => {
    await using pagerDuty = await pagerDutyStandIn();

    expect(await enqueue(pagerDuty, { ...trigger, ...event })).toEqual({
      ...{ code: 400, status: "invalid event", message: "Event object is invalid", errors: [error] },
    });
    expect([pagerDuty.incidents, pagerDuty.received.map(({ refused }) => refused)]).toEqual([[], [error]]);
  });

  it("takes an event at all limits", async () => {
    await using pagerDuty = await pagerDutyStandIn();
    const longest = {
      dedup_key: "a".repeat(255),
      payload: { ...payload, summary: "a".repeat(1_024) },
      links: [{ href: "https://example.com" }],
    };

    expect(await enqueue(pagerDuty, { ...trigger, ...longest })).toMatchObject({ code: 202 });
  });

  it("refuses what is no JSON, and other paths", async () => {
    await using pagerDuty = await pagerDutyStandIn();

    expect(await post(`${pagerDuty.url}/v2/enqueue`, {}, "{")).toMatchObject({ status: 400 });
    expect(await post(`${pagerDuty.url}/v2/queue`, {}, "{}")).toMatchObject({ status: 404 });
  });

  it("refuses more than 120 events a minute, without a time to wait", async () => {
    const clock = movedClock();
    await using pagerDuty = await pagerDutyStandIn({ clock, limitsRate: true });
    for (let sent = 0; sent < 120; sent += 1) await enqueue(pagerDuty, trigger);

    expect(await enqueue(pagerDuty, resolve)).toMatchObject({ code: 429 });
    clock.move(60_000);
    expect(await enqueue(pagerDuty, resolve)).toMatchObject({ code: 202 });
    expect(pagerDuty.incidents.map(({ status }) => status)).toEqual(["resolved"]);
  });

  it("gives scripted answers", async () => {
    await using pagerDuty = await pagerDutyStandIn();
    pagerDuty.answerNext(invalidEvent("Invalid routing key"), throttled());

    expect(await enqueue(pagerDuty, trigger)).toMatchObject({ code: 400, errors: ["Invalid routing key"] });
    expect(await enqueue(pagerDuty, trigger)).toMatchObject({ code: 429 });
    expect(pagerDuty.incidents).toEqual([]);
  });
});

import { CloudEvent, HTTP } from "cloudevents";
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { epochMs } from "#domain/shared/time";
import { movedClock, post } from "./post.ts";
import { webhookFault, webhookStandIn, type WebhookStandIn } from "./webhook.ts";

const attributes = {
  id: "uid/1/2/RolledBack",
  source: "/lookout/home",
  type: "dev.lookout.RolledBack",
  subject: "shop/api",
};
const event = new CloudEvent({ ...attributes, time: "2026-11-28T01:00:00.000Z", data: { outcome: "failed" } });
const atS = 1_531_420_618;

interface Sent {
  readonly mode?: "structured" | "binary";
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly signedS?: number;
  readonly secret?: string;
}

/** Sends the event as the two packages make it, signed at the time of the clock. */
async function deliver(hook: WebhookStandIn, { mode = "structured", signedS = atS, ...sent }: Sent = {}) {
  const message = HTTP[mode](event);
  const body = sent.body ?? String(message.body);
  const signature = new Webhook(sent.secret ?? hook.secret).sign("msg_1", new Date(signedS * 1_000), body);
  const signed = { "webhook-id": "msg_1", "webhook-timestamp": String(signedS), "webhook-signature": signature };
  const headers = Object.entries({ ...message.headers, ...signed, ...sent.headers });
  return post(
    hook.url,
    Object.fromEntries(headers.filter((pair): pair is [string, string] => pair[1] !== undefined)),
    body,
  );
}

describe("a signature of Standard Webhooks", () => {
  const vector = {
    method: "POST",
    path: "/",
    body: '{"test": 2432232314}',
    headers: {
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    },
    at: epochMs(1_614_265_330_000),
  };
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

  it("is valid as it is documented", () => {
    expect(webhookFault(vector, secret)).toBeUndefined();
    expect(webhookFault({ ...vector, body: `${vector.body} ` }, secret)).toBe("no signature matches");
  });
});

describe("a webhook receiver", () => {
  it.each(["structured", "binary"] as const)("takes an event that is %s, once for each id", async (mode) => {
    await using hook = await webhookStandIn({ clock: movedClock() });

    expect([await deliver(hook, { mode }), await deliver(hook, { mode })]).toMatchObject([
      { status: 204 },
      { status: 204 },
    ]);
    expect(hook.events).toEqual([
      {
        id: "msg_1",
        mode,
        event: expect.objectContaining({ ...attributes, specversion: "1.0", data: { outcome: "failed" } }) as object,
      },
    ]);
    expect([hook.received.length, hook.warnings]).toEqual([2, []]);
  });

  it("decodes a binary event's attributes", async () => {
    await using hook = await webhookStandIn({ clock: movedClock() });

    expect(
      await deliver(hook, { mode: "binary", headers: { "ce-subject": "shop/a%20%22b%22%25%C3%A9" } }),
    ).toMatchObject({ status: 204 });
    expect(hook.events[0]?.event["subject"]).toBe('shop/a "b"%é');
  });

  it("takes one right signature of two while a secret changes", async () => {
    await using hook = await webhookStandIn({ clock: movedClock() });
    const body = JSON.stringify(event);
    const right = new Webhook(hook.secret).sign("msg_1", new Date(atS * 1_000), body);
    const headers = { "webhook-signature": `v1,${"A".repeat(43)}= ${right}` };

    expect(await deliver(hook, { body, headers })).toMatchObject({ status: 204 });
  });

  it.each<{ with: string; sent: Sent; status: number; why: string }>([
    {
      with: "another secret",
      sent: { secret: "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" },
      status: 401,
      why: "no signature matches",
    },
    {
      with: "no signature",
      sent: { headers: { "webhook-signature": undefined } },
      status: 401,
      why: "no signature matches",
    },
    { with: "another id", sent: { headers: { "webhook-id": "msg_2" } }, status: 401, why: "no signature matches" },
    {
      with: "no id",
      sent: { headers: { "webhook-id": undefined } },
      status: 401,
      why: "webhook-id is missing, or has a dot",
    },
    {
      with: "an id with a dot",
      sent: { headers: { "webhook-id": "msg.1" } },
      status: 401,
      why: "webhook-id is missing, or has a dot",
    },
    {
      with: "a time that is no number",
      sent: { headers: { "webhook-timestamp": "noon" } },
      status: 401,
      why: "webhook-timestamp is no number of seconds",
    },
    {
      with: "a time 301 s ago",
      sent: { signedS: atS - 301 },
      status: 401,
      why: "webhook-timestamp is too old or too new",
    },
    {
      with: "a time in 301 s",
      sent: { signedS: atS + 301 },
      status: 401,
      why: "webhook-timestamp is too old or too new",
    },
    {
      with: "another content type",
      sent: { headers: { "content-type": "application/json" } },
      status: 415,
      why: "the content type is application/json",
    },
    {
      with: "version 0.3",
      sent: { body: JSON.stringify({ ...event.toJSON(), specversion: "0.3" }) },
      status: 400,
      why: "specversion is 0.3",
    },
    {
      with: "a bare space in an attribute",
      sent: { mode: "binary", headers: { "ce-subject": "shop api" } },
      status: 400,
      why: "ce-subject is not percent-encoded",
    },
    {
      with: "a half percent sign in an attribute",
      sent: { mode: "binary", headers: { "ce-subject": "100%" } },
      status: 400,
      why: "ce-subject is not percent-encoded",
    },
  ])("refuses an event with $with", async ({ sent, status, why }) => {
    await using hook = await webhookStandIn({ clock: movedClock() });

    expect(await deliver(hook, sent)).toMatchObject({ status, body: why });
    expect([hook.events, hook.received.map(({ refused }) => refused)]).toEqual([[], [why]]);
  });

  it.each(["id", "source", "type", "specversion"])("refuses an event without %s", async (name) => {
    await using hook = await webhookStandIn({ clock: movedClock() });
    const structured = await deliver(hook, { body: JSON.stringify({ ...event.toJSON(), [name]: undefined }) });
    const binary = await deliver(hook, { mode: "binary", headers: { [`ce-${name}`]: undefined } });

    expect(structured).toMatchObject({ status: 400, body: `there is no ${name}` });
    expect(binary.status).toBe(name === "specversion" ? 415 : 400);
    expect(hook.events).toEqual([]);
  });

  it("refuses what is no JSON", async () => {
    await using hook = await webhookStandIn({ clock: movedClock() });

    expect(await deliver(hook, { body: "{" })).toMatchObject({ status: 400 });
  });

  it("warns of a large body, and of an id that comes again with another content", async () => {
    await using hook = await webhookStandIn({ clock: movedClock() });
    await deliver(hook);
    await deliver(hook, { body: JSON.stringify({ ...event.toJSON(), data: "a".repeat(20 * 1_024) }) });

    expect(hook.warnings).toEqual(["the body is larger than 20 KB", "msg_1 comes again with another content"]);
  });
});

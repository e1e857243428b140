import { describe, expect, it } from "vitest";
import { Webhook } from "standardwebhooks";
import { keysOf, signature } from "#channels/standard-webhooks";
import { open } from "#channels/webhook/channel";
import { epochMs } from "#domain/shared/time";
import type { AnyFact } from "#domain/update/events";
import type { FactsSender } from "#ports/channels";
import { allowNetworks, change, failure, hostile, huge, rolledBack, toolsWith } from "../sending.ts";
import type { Reply } from "../stand-ins/stand-in.ts";
import { tooMany } from "../stand-ins/stand-in.ts";
import { webhookStandIn, type WebhookStandIn } from "../stand-ins/webhook.ts";

const now = epochMs(Date.parse("2026-11-28T01:00:03.900Z"));
const clock = { now: () => now };
const documented = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const other = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

const text = "prod/shop/api: rolled back to 1.0.0; 1.1.0 is blocked here until lookout unblock shop/api";

function sender(
  hook: WebhookStandIn,
  {
    format = "structured",
    secret = hook.secret,
    timeoutMs = 10_000,
  }: { format?: "structured" | "binary"; secret?: string; timeoutMs?: number } = {},
): FactsSender {
  const entry = { name: "audit", address: `${hook.url}/hook`, format, allowNetworks };
  const opened = open(entry, toolsWith(secret, undefined, timeoutMs));
  if ("problem" in opened) throw new Error(opened.problem);
  return opened;
}

describe("a signature", () => {
  it("is the documented one of Standard Webhooks", () => {
    const [key] = keysOf(documented)!;
    const body = '{"test": 2432232314}';

    expect(signature(key!, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", body)).toBe(
      "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    );
  });

  it("is made with the new key and with the old one while the key changes", async () => {
    for (const secret of [documented, other]) {
      await using hook = await webhookStandIn({ secret, clock });

      expect(await sender(hook, { secret: `${other}\n${documented}\n` }).tell(rolledBack, now)).toEqual({
        kind: "told",
      });
      const { body, headers } = hook.received[0]!;
      const at = new Date(Number(headers["webhook-timestamp"]) * 1_000);
      const signs = (key: string) => new Webhook(key).sign(headers["webhook-id"]!, at, body);
      expect(headers["webhook-signature"]).toBe(`${signs(other)} ${signs(documented)}`);
    }
  });

  it.each([
    ["", "no key"],
    ["MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "without its prefix"],
    [`whsec_${Buffer.alloc(23).toString("base64")}`, "23 bytes"],
    [`whsec_${Buffer.alloc(65).toString("base64")}`, "65 bytes"],
    ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa$w", "no base64"],
    [`${documented} other`, "a key and another text"],
    [`${documented} ${documented} ${other}`, "three keys"],
  ])("needs a key, and %o is none: %s", (secret) => {
    const opened = open({ name: "audit", address: "https://hooks.test", format: "structured" }, toolsWith(secret));

    expect(opened).toEqual({
      problem: "the secret is not whsec_ and the base64 of 24 to 64 bytes, or two of those with a space between",
    });
  });
});

describe("a fact", () => {
  it.each(["structured", "binary"] as const)("arrives as a %s CloudEvent with all its members", async (format) => {
    await using hook = await webhookStandIn({ clock });

    expect(await sender(hook, { format }).tell(rolledBack, now)).toEqual({ kind: "told" });
    expect(hook.events).toEqual([
      {
        id: "uid-1/4/9/RolledBack",
        mode: format,
        event: {
          specversion: "1.0",
          id: "uid-1/4/9/RolledBack",
          source: "/lookout/abc123",
          type: "dev.lookout.RolledBack",
          subject: "prod/shop/deployment/api",
          time: "2026-11-28T01:00:00.000Z",
          datacontenttype: "application/json",
          data: {
            name: "RolledBack",
            id: "uid-1/4/9/RolledBack",
            workload: { cluster: "prod", namespace: "shop", kind: "Deployment", name: "api" },
            uid: "uid-1",
            seq: 4,
            version: 9,
            at: "2026-11-28T01:00:00.000Z",
            correlationId: "push-1",
            changes: [change],
            reasons: [failure],
            severity: "error",
            outcome: "rolled-back",
            text,
          },
        },
      },
    ]);
    expect(hook.received[0]).toMatchObject({ path: "/hook", headers: { "webhook-timestamp": "1795827603" } });
    expect(hook.warnings).toEqual([]);
  });

  it("has the same id and content when it comes again", async () => {
    await using hook = await webhookStandIn({ clock });
    hook.answerNext({ status: 500 }, "cut");
    const webhook = sender(hook);
    const answers = [];
    for (let times = 0; times < 4; times += 1) answers.push((await webhook.tell(rolledBack, now)).kind);

    expect(answers).toEqual(["later", "later", "told", "told"]);
    expect(new Set(hook.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect(hook.events).toHaveLength(1);
    expect(hook.warnings).toEqual([]);
  });

  it("about a registry arrives with the registry as its subject, and an id without dots", async () => {
    await using hook = await webhookStandIn({ clock });
    const fact: AnyFact = {
      name: "RegistryUnreachable",
      id: 'my.registry.test:5000/17/RegistryUnreachable é"%\ud83d',
      registry: "my.registry.test:5000",
      since: now,
      at: now,
      detail: "ECONNREFUSED",
    };

    expect(await sender(hook, { format: "binary" }).tell(fact, now)).toEqual({ kind: "told" });
    expect(hook.events).toMatchObject([
      {
        id: "my%2Eregistry%2Etest:5000/17/RegistryUnreachable%20%C3%A9%22%25%EF%BF%BD",
        event: { id: 'my.registry.test:5000/17/RegistryUnreachable é"%\ufffd', subject: "my.registry.test:5000" },
      },
    ]);
  });

  it.each(["structured", "binary"] as const)(
    "that is too large is cut, says so, and stays below 20 KB: %s",
    async (format) => {
      await using hook = await webhookStandIn({ clock });

      expect(await sender(hook, { format }).tell(huge, now)).toEqual({ kind: "told" });
      const { data } = hook.events[0]!.event as {
        data: { detail: string; changes: object[]; reasons: { detail: string }[] };
      };
      expect(data).toMatchObject({ id: rolledBack.id, severity: "error", shortened: true });
      expect([data.detail.length, data.changes, data.reasons.length, data.reasons[0]!.detail.length]).toEqual([
        250,
        Array.from({ length: 5 }, (_, index) => ({ ...change, name: `container-${index}` })),
        5,
        250,
      ]);
      expect(Buffer.byteLength(hook.received[0]!.body)).toBeLessThan(20_000);
      expect(hook.warnings).toEqual([]);
    },
  );

  it("with hostile texts arrives as it is, with no broken character", async () => {
    await using hook = await webhookStandIn({ clock });
    const detail = hostile;

    expect(await sender(hook).tell({ ...rolledBack, detail, reasons: [{ ...failure, detail }] }, now)).toEqual({
      kind: "told",
    });
    expect(hook.events[0]!.event["data"]).toMatchObject({ detail: hostile.toWellFormed() });
  });
});

describe("a test of the channel", () => {
  it("arrives as an event of its own type", async () => {
    await using hook = await webhookStandIn({ clock });

    expect(await sender(hook).tryOut(now)).toEqual({ kind: "told" });
    expect(hook.events).toEqual([
      {
        id: "test/1795827603900",
        mode: "structured",
        event: {
          specversion: "1.0",
          id: "test/1795827603900",
          source: "/lookout/abc123",
          type: "dev.lookout.ChannelTested",
          time: "2026-11-28T01:00:03.900Z",
          datacontenttype: "application/json",
          data: {
            name: "ChannelTested",
            at: "2026-11-28T01:00:03.900Z",
            severity: "debug",
            outcome: "none",
            text: "A test of lookout channel test.",
          },
        },
      },
    ]);
  });
});

describe("a receiver's answer", () => {
  const redirected = "Lookout follows no redirect, so name the new address";
  const answered = (status: number) => `the server answered ${status}`;

  it.each<{ reply: Reply; means: object }>([
    { reply: { status: 200, body: "ok" }, means: { kind: "told" } },
    { reply: { status: 202 }, means: { kind: "told" } },
    { reply: { status: 204 }, means: { kind: "told" } },
    { reply: "endless", means: { kind: "told" } },
    { reply: { status: 301 }, means: { kind: "off", why: `${answered(301)}: ${redirected}` } },
    { reply: { status: 307 }, means: { kind: "off", why: `${answered(307)}: ${redirected}` } },
    { reply: { status: 400 }, means: { kind: "refused", why: answered(400) } },
    { reply: { status: 401 }, means: { kind: "off", why: answered(401) } },
    { reply: { status: 403 }, means: { kind: "off", why: answered(403) } },
    { reply: { status: 404 }, means: { kind: "later", why: answered(404) } },
    { reply: { status: 405 }, means: { kind: "later", why: answered(405) } },
    { reply: { status: 408 }, means: { kind: "later", why: answered(408) } },
    { reply: { status: 410 }, means: { kind: "off", why: answered(410) } },
    { reply: { status: 413 }, means: { kind: "refused", why: answered(413) } },
    { reply: { status: 415 }, means: { kind: "refused", why: answered(415) } },
    { reply: tooMany(120), means: { kind: "later", why: answered(429), after: 120_000 } },
    { reply: tooMany(), means: { kind: "later", why: answered(429), after: 30_000 } },
    { reply: tooMany("soon"), means: { kind: "later", why: answered(429), after: 30_000 } },
    { reply: tooMany(-5), means: { kind: "later", why: answered(429), after: 30_000 } },
    { reply: tooMany("0"), means: { kind: "later", why: answered(429), after: 1_000 } },
    { reply: tooMany(999_999_999), means: { kind: "later", why: answered(429), after: 86_400_000 } },
    { reply: tooMany("Sat, 28 Nov 2015 01:00:00 GMT"), means: { kind: "later", why: answered(429), after: 1_000 } },
    { reply: { status: 500 }, means: { kind: "later", why: answered(500) } },
    { reply: { status: 503 }, means: { kind: "later", why: answered(503), after: 30_000 } },
  ])("$reply means $means.kind", async ({ reply, means }) => {
    await using hook = await webhookStandIn({ clock });
    hook.answerNext(reply);

    expect(await sender(hook).tell(rolledBack, now)).toEqual(means);
    expect(hook.received).toHaveLength(1);
  });

  it("that never comes means later, and its reason names the host only", async () => {
    await using hook = await webhookStandIn({ clock });
    hook.answerNext("hang");

    const { host } = new URL(hook.url);
    expect(await sender(hook, { timeoutMs: 500 }).tell(rolledBack, now)).toEqual({
      kind: "later",
      why: `${host} gave no answer in 0.5 s`,
    });
  });

  it("is not asked for at an address that is not public", async () => {
    await using hook = await webhookStandIn({ clock });
    const entry = {
      name: "audit",
      address: "https://10.1.2.3/hook/secret",
      format: "structured",
      allowNetworks,
    } as const;
    const opened = open(entry, toolsWith(hook.secret));

    expect("problem" in opened ? opened : await opened.tell(rolledBack, now)).toEqual({
      kind: "off",
      why: "10.1.2.3 has an address that is not public: allow its network with allowNetworks",
    });
  });
});

import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { type WebhookCase, webhookCases } from "#test/adapters/webhook/fixtures";
import { answersTo } from "./answers.ts";
import { answerWebhookLine } from "./webhook.ts";

const answersOf = (...lines: readonly unknown[]) => answersTo(answerWebhookLine, ...lines);

/** The line of a recorded request, as a script makes it. */
function lineOf({ folder, request, fixture, repeat }: WebhookCase): object {
  const [, named] = /^\/webhooks\/([^?]+)/.exec(request.path_hint) ?? [];
  return { receiver: named ?? folder, fixture, request, repeat };
}

interface Push {
  readonly pushedAt: string | null;
}

const withMilliseconds = (push: Push): Push => ({
  ...push,
  pushedAt: push.pushedAt && new Date(push.pushedAt).toISOString(),
});

describe("the judge of webhooks", () => {
  it.each(webhookCases())("answers $file: $because", async (one) => {
    const { answers, exitCode } = await answersOf(lineOf(one));
    const [{ ok, outcome, pushes } = { ok: false }] = answers;

    expect({ ok, exitCode }).toEqual({ ok: true, exitCode: 0 });
    expect(one.accepted).toContainEqual({ outcome, pushes: (pushes as readonly Push[]).map(withMilliseconds) });
  });

  it("answers all notifications in order, in chunks of any size", async () => {
    const all = webhookCases();
    const { answers, exitCode } = await answersOf(...all.map(lineOf));

    const wrong = all.filter(
      ({ accepted }, index) => !accepted.some(({ outcome }) => outcome === answers[index]?.["outcome"]),
    );
    expect(wrong.map(({ file }) => file)).toEqual([]);
    expect([answers.length, exitCode]).toEqual([all.length, 0]);
  });

  const push = { name: "r.test/shop/api", tag: "1.0.0" };
  const request = { method: "POST", path_hint: "/webhooks/generic", headers: {}, body: push };
  const pushed = {
    ok: true,
    outcome: "push",
    status: 202,
    pushes: [
      { registry: "r.test", repository: "shop/api", tags: ["1.0.0"], digest: null, pushedAt: null, actor: null },
    ],
  };
  const made = (generator: object) => ({
    receiver: "generic",
    request: { method: "POST", headers: {}, body_generator: generator },
  });
  const signature = `sha256=${createHmac("sha256", "s3cret").update(JSON.stringify(push)).digest("hex")}`;

  it("accepts a request without a proof if the line configures no proof", async () => {
    const signed = { ...request, headers: { "X-Signature": signature } };
    const { answers } = await answersOf(
      { receiver: "generic", request },
      { receiver: "generic", fixture: { secret: "s3cret" }, request: signed },
      { receiver: "generic", fixture: { secret: "s3cret" }, request },
      { receiver: "generic", fixture: { secret: "" }, request: signed },
      { receiver: "generic", fixture: { secret: null }, request: signed },
    );

    const unauthorized = { ok: true, outcome: "unauthorized", status: 401, pushes: [] };
    const open = { ...unauthorized, reason: "the receiver has no secret, so it rejects all requests" };
    expect(answers).toEqual([
      pushed,
      pushed,
      { ...unauthorized, reason: "the X-Signature header is missing" },
      open,
      open,
    ]);
  });

  it("answers a push without a host by the registry of the line, and says when the line leaves it open", async () => {
    const hostless = { ...request, body: { name: "shop/api", tag: "1.0.0" } };
    const { answers } = await answersOf(
      { receiver: "generic", request: hostless },
      { receiver: "generic", fixture: { registry: "r.test" }, request: hostless },
      { receiver: "generic", fixture: { registry: null }, request: hostless },
    );

    expect(answers).toEqual([
      {
        ...pushed,
        pushes: [{ ...pushed.pushes[0], registry: null }],
        reason: "the event names no host, so its push counts only for a receiver with registry in lookout.yaml",
      },
      pushed,
      {
        ...{ ok: true, outcome: "invalid", status: 400, pushes: [] },
        reason: "the event names no host: set registry of this receiver in lookout.yaml",
      },
    ]);
  });

  it("passes on the exact bytes of a body, and checks their number", async () => {
    const text = JSON.stringify(push);
    const base64 = { kind: "base64", data: Buffer.from(text).toString("base64") };
    const repeated = { kind: "repeat", prefix: text.slice(0, -1), unit: " ", count: 3, suffix: "}" };
    const line = (generator: object, signed: string) => ({
      receiver: "generic",
      fixture: { secret: "s3cret" },
      request: {
        ...{ method: "POST", path_hint: "/webhooks/generic", body: null, body_generator: generator },
        headers: { "X-Signature": `sha256=${createHmac("sha256", "s3cret").update(signed).digest("hex")}` },
      },
      repeat: 3,
    });
    const { answers } = await answersOf(
      line({ ...base64, bytes: text.length }, text),
      line({ ...repeated, bytes: text.length + 3 }, `${text.slice(0, -1)}   }`),
      line(repeated, text),
    );

    expect(answers).toMatchObject([pushed, pushed, { outcome: "unauthorized" }]);
  });

  it("counts a repeated push once", async () => {
    expect((await answersOf({ receiver: "generic", request, repeat: 6 })).answers).toEqual([pushed]);
  });

  it("checks a proof over the bytes that API Gateway received", async () => {
    const event = {
      rawPath: "/webhooks/generic",
      headers: { "x-signature": signature },
      requestContext: { http: { method: "POST", path: "/webhooks/generic" } },
      body: Buffer.from(JSON.stringify(push)).toString("base64"),
      isBase64Encoded: true,
    };
    const line = { receiver: "generic", fixture: { secret: "s3cret" } };
    const { answers } = await answersOf(
      { ...line, request: { method: "LAMBDA", headers: {}, body: event } },
      { ...line, request: { method: "LAMBDA", headers: {}, body: { ...event, isBase64Encoded: false } } },
    );

    expect(answers).toMatchObject([pushed, { outcome: "unauthorized", status: 401 }]);
  });

  it("answers Event Grid's handshakes only with the secret", async () => {
    const fixture = { secret: "s3cret", header: "(query) code", scheme: "plain" };
    const validation = [
      {
        eventType: "Microsoft.EventGrid.SubscriptionValidationEvent",
        data: { validationCode: "512d38b6", validationUrl: "https://attacker.example.com" },
      },
    ];
    const ask = (method: string, code: string) => ({
      receiver: "acr-eventgrid",
      fixture,
      request: {
        method,
        path_hint: `/webhooks/acr-eventgrid?code=${code}`,
        headers: { "WebHook-Request-Origin": "eventgrid.azure.net" },
        ...(method === "POST" ? { body: validation } : {}),
      },
    });
    const { answers } = await answersOf(
      ...[ask("POST", "s3cret"), ask("OPTIONS", "s3cret"), ask("POST", "x"), ask("OPTIONS", "x")],
    );

    const headers = { "WebHook-Allowed-Origin": "eventgrid.azure.net", "WebHook-Allowed-Rate": "*" };
    const handshake = { ok: true, outcome: "handshake", status: 200, pushes: [] };
    const refused = { ok: true, outcome: "unauthorized", status: 401, pushes: [] };
    const reason = "the query parameter code does not match the receiver's secret";
    expect(answers).toEqual([
      { ...handshake, reply: { validationResponse: "512d38b6" } },
      { ...handshake, reply: { headers } },
      ...[refused, refused].map((one) => ({ ...one, reason })),
    ]);
  });

  it("accepts only pushes of the listed accounts", async () => {
    const recorded = webhookCases().find(({ file }) => file.endsWith("push-nested-repository-name.json"));
    if (recorded === undefined) throw new Error("the recorded push is gone");
    const line = lineOf(recorded);
    const { answers } = await answersOf(
      ...[["123456789012"], ["210987654321"], []].map((accounts) => ({
        ...line,
        fixture: { allowed_accounts: accounts },
      })),
    );

    expect(answers.map(({ outcome }) => outcome)).toEqual(["push", "ignored", "ignored"]);
  });

  it.each([
    { because: "no such receiver", line: { receiver: "docker", request }, status: 404 },
    { because: "another method", line: { receiver: "generic", request: { ...request, method: "PUT" } }, status: 400 },
    {
      because: "a header that can't be one",
      line: { receiver: "generic", request: { ...request, headers: { a: "b\nc" } } },
      status: 400,
    },
    {
      because: "more than a notification may hold",
      line: {
        receiver: "generic",
        request: {
          method: "POST",
          headers: {},
          body_generator: { kind: "repeat", prefix: "[", unit: " ", count: 2_000_000, suffix: "]", bytes: 2_000_002 },
        },
      },
      status: 413,
    },
    {
      because: "bytes that are no text",
      line: {
        receiver: "generic",
        request: { method: "POST", headers: {}, body_generator: { kind: "base64", data: "e/99" } },
      },
      status: 400,
    },
  ])("rejects $because", async ({ line, status }) => {
    const { answers, exitCode } = await answersOf(line);

    expect(answers).toEqual([
      { ok: true, outcome: "invalid", status, pushes: [], reason: expect.stringMatching(/./) as string },
    ]);
    expect(exitCode).toBe(0);
  });

  it.each([
    ["{", /^not JSON: /],
    [{ request }, /^receiver: is missing; expected a text$/],
    [{ receiver: "generic" }, /^request: is missing; expected an object$/],
    [{ receiver: "generic", request, expect: {} }, /^expect: is not known here$/],
    [
      { receiver: "generic", request: { ...request, heders: {} } },
      /^request\.heders: is not known here; did you mean headers\?$/,
    ],
    [{ receiver: "generic", request: { method: "POST" } }, /^request\.headers: is missing; expected an object$/],
    [
      { receiver: "generic", fixture: { secrett: "a" }, request },
      /^fixture\.secrett: is not known here; did you mean secret\?$/,
    ],
    [{ receiver: "generic", fixture: { scheme: "none" }, request }, /^fixture\.scheme: expected /],
    [{ receiver: "gcr-gar", fixture: { jwks: { keys: [] } }, request }, /^fixture: jwks needs audience and now too$/],
    [{ receiver: "generic", request, repeat: 0 }, /^repeat: /],
    [
      { receiver: "generic", request: { ...request, method: "LAMBDA" } },
      /^request\.body: expected an event of an HTTP API, not {"name"/,
    ],
    [
      { receiver: "generic", request: { ...request, body_generator: { kind: "base64", data: "" } } },
      /^request: has body and body_generator; remove one of them$/,
    ],
    [made({ kind: "base64", data: "?" }), /^request\.body_generator\.data: expected base64, not "\?"$/],
    [made({ kind: "base64", data: "e30=", bytes: 3 }), /^request\.body_generator\.bytes: expected 2, .*, not 3$/],
    [made({ kind: "base64", date: "e30=" }), /^request\.body_generator\.date: is not known here; did you mean data\?$/],
    [
      made({ kind: "repeat", prefix: "", unit: "é", count: 2, suffix: "", bytes: 2 }),
      /^request\.body_generator\.bytes: expected 4, /,
    ],
    [
      made({ kind: "repeat", prefix: "", unit: "abcd", count: 1e15, suffix: "" }),
      /^request\.body_generator: too large: /,
    ],
    [made({ kind: "zip" }), /^request\.body_generator\.kind: expected repeat or base64, not "zip"$/],
    [
      { receiver: "generic", request: { ...request, body: 7 } },
      /^request\.body: expected a text, an object or a list, not 7$/,
    ],
  ])("rejects the line %j, and continues", async (line, message) => {
    const { answers, exitCode } = await answersOf(line, { receiver: "generic", request });

    expect(answers).toEqual([
      { ok: false, error: { code: "bad-line", message: expect.stringMatching(message) as string } },
      pushed,
    ]);
    expect(exitCode).toBe(2);
  });
});

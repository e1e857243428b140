import { describe, expect, it } from "vitest";
import { pushReceivers } from "#adapters/webhook/receivers";
import { createHmac } from "node:crypto";
import { handler } from "#functions/detect/registry-webhook";
import { maximumBodyBytes } from "#runtime/request";
import { host, type World, world } from "#test/app/world";
import { seconds } from "#domain/shared/time";
import { stoppedClock } from "#test/stopped-clock";

const secret = "s3cret-of-the-receiver";
const receivers = pushReceivers(
  [
    { name: "hub", kind: "distribution", secret },
    { name: "build", kind: "generic", secret, registry: host },
  ],
  stoppedClock,
);

async function post(
  lookout: World,
  path: string,
  body: string | ReadableStream<Uint8Array>,
  headers: Record<string, string>,
): Promise<number> {
  const request = new Request(`http://localhost${path}`, {
    method: "POST",
    body,
    headers,
    duplex: "half",
  });
  const response = await handler(request, {
    ports: lookout.ports,
    receivers,
    setAside: {
      deadLetter: () => Promise.reject(new Error("nothing is a dead letter here")),
      keep: () => Promise.reject(new Error("nothing is kept here")),
    },
    log: { outcome: () => undefined, failure: () => undefined },
    signal: new AbortController().signal,
  });
  return response.status;
}

const signed = (body: string): Record<string, string> => ({
  "x-signature": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
});

async function withApi(): Promise<{ readonly lookout: World; readonly key: string }> {
  const lookout = world();
  await lookout.push("shop/api", "1.0.0", { quietly: true });
  const key = lookout.deploy({ name: "api", image: `${host}/shop/api:1.0.0` });
  await lookout.pass(seconds(2));
  await lookout.sync();
  return { lookout, key };
}

describe("a notification", () => {
  it("with a signature and a known repository is accepted, and its image runs", async () => {
    const { lookout, key } = await withApi();
    await lookout.push("shop/api", "1.1.0", { quietly: true });
    const body = JSON.stringify({ name: "shop/api", tag: "1.1.0" });

    expect(await post(lookout, "/webhooks/build", body, signed(body))).toBe(202);
    await lookout.pass(seconds(20));

    expect(lookout.image(key)).toContain("/shop/api:1.1.0@");
  });

  it.each([
    {
      because: "it is not signed",
      path: "/webhooks/build",
      body: '{"name":"shop/api","tag":"1.1.0"}',
      headers: {},
      status: 401,
    },
    {
      because: "its signature is wrong",
      path: "/webhooks/build",
      body: '{"name":"shop/api","tag":"1.1.0"}',
      headers: signed("other"),
      status: 401,
    },
    { because: "it is malformed", path: "/webhooks/build", body: "{", headers: signed("{"), status: 400 },
    {
      because: "it is malformed, and its registry repeats a 4xx for ever",
      path: "/webhooks/hub",
      body: "{",
      headers: { authorization: `Bearer ${secret}` },
      status: 202,
    },
    {
      because: "its repository is unknown",
      path: "/webhooks/build",
      body: '{"name":"shop/other","tag":"1"}',
      headers: signed('{"name":"shop/other","tag":"1"}'),
      status: 202,
    },
    { because: "its receiver is unknown", path: "/webhooks/nobody", body: "{}", headers: {}, status: 404 },
  ])("is answered with $status and causes no event: $because", async ({ path, body, headers, status }) => {
    const { lookout } = await withApi();

    expect(await post(lookout, path, body, headers)).toBe(status);
    await lookout.settle();

    expect(lookout.facts.map(({ name }) => name)).toEqual(["WorkloadTracked"]);
  });

  it("over one mebibyte is refused by its length, before it is read", async () => {
    const { lookout } = await withApi();
    let read = 0;
    const body = new ReadableStream(
      {
        pull: (controller) => {
          read += 1;
          controller.enqueue(new Uint8Array(65_536));
        },
      },
      { highWaterMark: 0 },
    );

    const status = await post(lookout, "/webhooks/build", body, { "content-length": String(maximumBodyBytes + 1) });

    expect({ status, read }).toEqual({ status: 413, read: 0 });
  });

  it("without a length is read up to one mebibyte", async () => {
    const { lookout } = await withApi();
    let read = 0;
    const body = new ReadableStream(
      {
        pull: (controller) => {
          read += 65_536;
          controller.enqueue(new Uint8Array(65_536));
        },
      },
      { highWaterMark: 0 },
    );

    const status = await post(lookout, "/webhooks/build", body, {});

    expect(status).toBe(413);
    expect(read).toBeLessThanOrEqual(maximumBodyBytes + 2 * 65_536);
  });
});

import { describe, expect, it } from "vitest";
import { openHttp } from "#adapters/shared/http-send";
import { epochMs } from "#domain/shared/time";
import { ownAuthority } from "#test/runtime/own-authority";
import { pagerDutyStandIn } from "./pagerduty.ts";
import { post } from "./post.ts";
import { slackStandIn } from "./slack.ts";
import { snsStandIn } from "./sns.ts";
import { rateLimit, type StandIn, type StandInOptions, standIn, taken, tooMany } from "./stand-in.ts";
import { webhookStandIn } from "./webhook.ts";

/** A service that counts its requests. */
async function counter(): Promise<StandIn & { readonly counted: () => number }> {
  let counted = 0;
  const server = await standIn({}, () => {
    counted += 1;
    return { reply: { status: 200, body: String(counted) } };
  });
  return Object.assign(server, { counted: () => counted });
}

describe("a stand-in", () => {
  it.each<[string, (options: StandInOptions) => Promise<StandIn>]>([
    ["Slack", slackStandIn],
    ["PagerDuty", pagerDutyStandIn],
    ["SNS", snsStandIn],
    ["a webhook receiver", webhookStandIn],
  ])("of %s serves HTTPS to a sender that trusts its authority, and nothing to others", async (_, start) => {
    const tls = ownAuthority();
    await using server = await start({ tls });
    const [knowing, other] = [tls.ca, ownAuthority().ca].map((ca) => openHttp({ ca, connectMs: 5_000, keepMs: 1_000 }));
    const call = { method: "POST", headers: {}, signal: new AbortController().signal, repeatable: false } as const;

    expect(server.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    await expect(other?.send(server.url, call)).rejects.toThrow();
    expect(server.received).toEqual([]);
    const reply = await knowing?.send(server.url, call);
    expect(server.received.map(({ answered }) => answered)).toEqual([reply?.statusCode]);
    for (const one of [knowing, other]) one?.close();
  });

  it("gives scripted answers to the next requests, which have no effect, and then true ones", async () => {
    await using server = await counter();
    server.answerNext(
      { status: 301, headers: { location: "https://example.com/" } },
      tooMany("soon"),
      tooMany(),
      "cut",
    );

    const first = await post(server.url, {}, "a");
    expect([first.status, first.headers.get("location")]).toEqual([301, "https://example.com/"]);
    const [second, third] = [await post(server.url, {}, "b"), await post(server.url, {}, "c")];
    expect([second, third].map(({ status, headers }) => [status, headers.get("retry-after")])).toEqual([
      [429, "soon"],
      [429, null],
    ]);
    await expect(post(server.url, {}, "d")).rejects.toThrow();
    expect(server.counted()).toBe(0);
    expect((await post(server.url, {}, "e")).body).toBe("1");
    expect(server.received.map(({ body, answered }) => [body, answered])).toEqual([
      ["a", 301],
      ["b", 429],
      ["c", 429],
      ["d", "cut"],
      ["e", 200],
    ]);
  });

  it("takes a request, and loses its answer", async () => {
    await using server = await counter();
    server.answerNext(taken("cut"), taken({ status: 500 }));

    await expect(post(server.url, {}, "")).rejects.toThrow();
    expect((await post(server.url, {}, "")).status).toBe(500);
    expect(server.counted()).toBe(2);
  });

  it("hangs until its sender or its test ends", async () => {
    const sender = new AbortController();
    {
      await using server = await counter();
      server.answerNext("hang", taken("hang"));
      const waiting = fetch(server.url, { method: "POST", signal: sender.signal });
      const ending = fetch(server.url, { method: "POST" });
      await expect.poll(() => server.received.length).toBe(2);
      sender.abort(new Error("no patience"));
      await expect(waiting).rejects.toThrow("no patience");
      expect(server.counted()).toBe(1);
      void ending.catch(() => undefined);
    }
  });

  it.each([
    { answer: "slow", bytes: 3 },
    { answer: "endless", bytes: 2 * 1_024 * 1_024 },
  ] as const)("sends a body that is $answer, until its sender stops reading", async ({ answer, bytes }) => {
    await using server = await counter();
    server.answerNext(answer);
    const { status, body } = await fetch(server.url, { method: "POST" });
    let read = 0;
    for await (const chunk of body as AsyncIterable<Uint8Array>) if ((read += chunk.length) > bytes) break;

    expect(status).toBe(200);
    expect(read).toBeGreaterThan(bytes);
    expect((await post(server.url, {}, "")).status).toBe(200);
  });

  it("tells of its own failure", async () => {
    await using server = await standIn({}, () => {
      throw new Error("no table");
    });

    expect((await post(server.url, {}, "")).status).toBe(500);
    expect(server.received.map(({ refused }) => refused)).toEqual(["the stand-in failed: Error: no table"]);
  });

  it("refuses a body that is not UTF-8", async () => {
    await using server = await counter();

    expect(await post(server.url, {}, Uint8Array.of(0xff))).toMatchObject({ status: 400 });
    expect([server.counted(), server.received]).toEqual([0, []]);
  });
});

describe("a rate limit", () => {
  it("allows the number of requests of a key within each window, and tells the seconds to wait", () => {
    const wait = rateLimit(2, 60_000);
    const at = (second: number, key = "a"): number | undefined => wait(key, epochMs(second * 1_000));

    expect([at(0), at(10), at(20), at(20, "b"), at(59.5), at(60), at(61)]).toEqual([
      undefined,
      undefined,
      40,
      undefined,
      1,
      undefined,
      9,
    ]);
  });
});

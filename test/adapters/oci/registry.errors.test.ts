import { afterEach, describe, expect, it } from "vitest";
import { ociRegistry } from "#adapters/oci/registry";
import { ask, closeServers, onLoopback, start } from "./asking.ts";
import { reply } from "./registry-server.ts";

const digest = `sha256:${"ab".repeat(32)}`;

afterEach(closeServers);

const limitCode = '{"errors":[{"code":"TOOMANYREQUESTS","message":"pull rate limit"}]}';

/** The answers of a registry about itself with a limit. The host stands before the detail. */
function limited(status: number, pauseMs: number) {
  return { kind: "limited", detail: `answered ${status}: too many requests`, pauseMs };
}
function noneLeft(pauseMs: number) {
  return { kind: "limited", detail: "states that no requests are left (ratelimit-remaining: 0)", pauseMs };
}

describe("a failing registry", () => {
  const body = { errors: [{ message: "s3cret of the body" }] };

  it.each([
    { status: 429, headers: { "retry-after": "7" }, retryAfterMs: 7000, because: "seconds" },
    {
      status: 429,
      headers: { "retry-after": "Sat, 21 Nov 2026 10:00:30 GMT", date: "Sat, 21 Nov 2026 10:00:00 GMT" },
      retryAfterMs: 30_000,
      because: "a date, by the server's own clock",
    },
    { status: 429, headers: {}, retryAfterMs: 60_000, because: "a minute if the registry names none" },
    { status: 429, headers: { "retry-after": "soon" }, retryAfterMs: 60_000, because: "a minute if it is invalid" },
    { status: 429, headers: { "retry-after": "-5" }, retryAfterMs: 60_000, because: "a minute if it is negative" },
    { status: 429, headers: { "retry-after": "1.5" }, retryAfterMs: 60_000, because: "a minute if it is a fraction" },
    {
      status: 429,
      headers: { "retry-after": "9".repeat(400) },
      retryAfterMs: 86_400_000,
      because: "a day of any number",
    },
    { status: 503, headers: { "retry-after": "999999999" }, retryAfterMs: 86_400_000, because: "a day at most" },
  ])("names the time of the next attempt: $because", async ({ status, headers, retryAfterMs }) => {
    const server = await start((_, response) => reply(response, status, body, headers));

    expect(await ask(server).tags()).toEqual({
      kind: "unreachable",
      ...(status === 429 ? { reason: "registry-throttled" } : { isOutage: true }),
      status,
      detail: `${server.host} answered ${status}${status === 429 ? ": too many requests" : ""}`,
      retryAfterMs,
    });
  });

  it.each([408, 500, 502, 503, 504])("that answers %s is unreachable", async (status) => {
    const server = await start((_, response) => reply(response, status, body, { "retry-after": "soon" }));

    expect(await ask(server).resolve()).toEqual({
      kind: "unreachable",
      isOutage: true,
      status,
      detail: expect.stringContaining(`answered ${status}`) as unknown,
    });
  });

  it.each([204, 400, 405, 418])("that answers %s has not denied the tag", async (status) => {
    const server = await start((_, response) => reply(response, status, status === 204 ? "" : body));

    expect(await ask(server).manifest(digest)).toEqual({
      kind: "unreachable",
      detail: `${server.host} answered ${status}`,
    });
  });

  it("that does not answer in time is unreachable", async () => {
    const server = await start(() => undefined);

    expect(await ask(server, { timeoutMs: 60 }).resolve()).toEqual({
      kind: "unreachable",
      isOutage: true,
      detail: `${server.host} did not answer within 60 ms`,
    });
  });

  it("that sends its answer too slowly is unreachable", async () => {
    const server = await start((_, response) => {
      const timer = setInterval(() => response.write(" "), 10);
      response.on("close", () => clearInterval(timer));
    });

    expect(await ask(server, { timeoutMs: 60 }).tags()).toEqual({
      kind: "unreachable",
      isOutage: true,
      detail: `${server.host} did not answer within 60 ms`,
    });
  });

  it("that ends its answer early is unreachable", async () => {
    const server = await start((_, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write('{"tags":["1.0.0"');
      setTimeout(() => response.destroy(), 5);
    });

    expect(await ask(server).tags()).toEqual({
      kind: "unreachable",
      isOutage: true,
      detail: expect.stringMatching(/could not be reached \(.+\)$/) as unknown,
    });
  });

  it("gets the request again when a kept connection was closed", async () => {
    let times = 0;
    const server = await start((_, response) => {
      times++;
      if (times === 2) response.destroy();
      else reply(response, 200, "", { "docker-content-digest": digest });
    });
    const asking = ask(server);
    await asking.resolve();

    expect(await asking.resolve()).toEqual({ kind: "manifest", digest, platforms: [] });
    expect(times).toBe(3);
  });

  it.each([
    { base: 200, answer: { kind: "answers" } },
    { base: 401, answer: { kind: "answers" } },
    { base: 404, answer: { kind: "answers" } },
    { base: 200, headers: { "ratelimit-remaining": "5" }, answer: { kind: "answers" } },
    { base: 200, headers: { "ratelimit-remaining": "0", "ratelimit-reset": "0" }, answer: { kind: "answers" } },
    { base: 200, headers: { "ratelimit-remaining": "0", "ratelimit-reset": "90" }, answer: noneLeft(90_000) },
    { base: 401, headers: { "x-ratelimit-remaining": "0" }, answer: noneLeft(60_000) },
    { base: 429, answer: limited(429, 60_000) },
    { base: 429, headers: { "retry-after": "3600" }, answer: limited(429, 3_600_000) },
    { base: 403, text: limitCode, answer: limited(403, 60_000) },
    { base: 503, text: limitCode, headers: { "retry-after": "7" }, answer: limited(503, 7_000) },
    { base: 403, answer: { kind: "answers" } },
    { base: 503, headers: { "retry-after": "7" }, answer: { kind: "no-answer" } },
  ])("with a failing repository answers /v2/ itself (with $base, $headers): $answer.kind", async (given) => {
    const { base, headers = {}, text = body, answer } = given;
    const server = await start(({ path }, response) =>
      path === "/v2/" ? reply(response, base, text, headers) : reply(response, 502, body),
    );
    const asking = ask(server);
    const { detail, ...rest } = { detail: undefined, ...answer };
    const expected = detail === undefined ? rest : { ...rest, detail: `${server.host} ${detail}` };

    expect(await asking.tags()).toMatchObject({ isOutage: true, status: 502 });
    expect(await asking.answers()).toEqual(expected);
    expect(server.asked.at(-1)).toEqual({ method: "GET", path: "/v2/", authorization: undefined, body: "" });
  });

  it("that is unreachable does not answer /v2/", async () => {
    const server = await start(() => undefined);
    await server.close();

    expect(await ask(server).answers()).toEqual({ kind: "no-answer" });
  });

  it("keeps its connections for requests in a row", async () => {
    const ports = new Set<number | undefined>();
    const server = await start((_, response) => {
      ports.add(response.socket?.remotePort);
      reply(response, 404, body);
    });
    const asking = ask(server);

    for (let question = 0; question < 30; question++) await asking.tags();

    // The next question may be asked a moment before the first connection is free again.
    expect(ports.size).toBeLessThanOrEqual(2);
  });

  it("rejects at once when the caller cancels", async () => {
    const caller = new AbortController();
    const server = await start(() => caller.abort(new Error("the function's time is over")));
    const registry = ociRegistry({ credentials: async () => undefined, registries: [onLoopback(server.host)] });

    const asked = registry.tags({ registry: server.host, repository: "shop/api" }, caller.signal);

    await expect(asked).rejects.toMatchObject({
      name: "TransientError",
      message: `the caller cancelled the request to ${server.host}`,
    });
  });
});

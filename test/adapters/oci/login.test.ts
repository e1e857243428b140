import { afterEach, describe, expect, it } from "vitest";
import type { Credential } from "#adapters/oci/credentials";
import { PermanentError } from "#ports/errors";
import { ask, closeServers, start } from "./asking.ts";
import type { Handler } from "./registry-server.ts";
import { reply } from "./registry-server.ts";

afterEach(closeServers);

const digest = `sha256:${"ab".repeat(32)}`;
const found = { kind: "manifest", digest, platforms: [] };
const robot = async (): Promise<Credential> => ({ username: "robot", password: "pass:word" });
const robotBasic = "Basic cm9ib3Q6cGFzczp3b3Jk";

/**
 * A registry that lets in who sends `authorization`, and asks all others for what `challenge` says.
 */
function guarded(authorization: () => string, challenge: () => string): Handler {
  return (asked, response) => {
    if (asked.authorization === authorization()) reply(response, 200, "", { "docker-content-digest": digest });
    else reply(response, 401, {}, { "www-authenticate": challenge() });
  };
}

/** A registry and its token service on one host; the service is asked at `/token`. */
async function registryWithTokens(answerToken: Handler) {
  const registry = guarded(
    () => "Bearer fresh",
    () => `Bearer realm="http://${server.host}/token",service="the, registry",scope="repository:shop/api:pull,push"`,
  );
  const server = await start((asked, response) => {
    (asked.path.startsWith("/token") ? answerToken : registry)(asked, response);
  });
  return server;
}

describe("a registry with passwords", () => {
  it("gets the password after a challenge, and then with each request", async () => {
    const server = await start(
      guarded(
        () => robotBasic,
        () => 'Basic realm="registry, of ours"',
      ),
    );
    const asking = ask(server, { credentials: robot });

    expect([await asking.resolve(), await asking.resolve()]).toEqual([found, found]);
    expect(server.asked.map(({ authorization }) => authorization)).toEqual([undefined, robotBasic, robotBasic]);
  });

  it("is denied without a password", async () => {
    const server = await start(
      guarded(
        () => robotBasic,
        () => "Basic realm=x",
      ),
    );

    expect(await ask(server).resolve()).toEqual({
      kind: "denied",
      detail: `${server.host} asks for a user name and password, and no credential is configured`,
    });
  });

  it("is denied when it demands an unknown kind of login", async () => {
    const server = await start(
      guarded(
        () => robotBasic,
        () => "Negotiate",
      ),
    );

    expect(await ask(server, { credentials: robot }).resolve()).toEqual({
      kind: "denied",
      detail: `${server.host} asks for an unknown kind of login: Lookout supports Bearer and Basic`,
    });
  });

  it("is denied with a remedy when the password can't be read", async () => {
    const server = await start(
      guarded(
        () => robotBasic,
        () => "Basic realm=x",
      ),
    );
    const credentials = async () => {
      throw new PermanentError("the variable HUB_PASSWORD is not set");
    };

    expect(await ask(server, { credentials }).resolve()).toEqual({
      kind: "denied",
      detail: `${server.host} asks for a login: the variable HUB_PASSWORD is not set`,
    });
  });

  it.each([401, 403])("is denied when it answers %s to the password, which is tried once", async (status) => {
    const server = await start((_, response) => reply(response, status, {}, { "www-authenticate": "Basic realm=x" }));

    expect(await ask(server, { credentials: robot }).resolve()).toEqual({
      kind: "denied",
      detail: `${server.host} answered ${status}`,
    });
    expect(server.asked).toHaveLength(2);
  });
});

describe("a registry with tokens", () => {
  it.each(["token", "access_token"])("gets the token that its service calls %s", async (field) => {
    const server = await registryWithTokens((_, response) => reply(response, 200, { [field]: "fresh" }));

    expect(await ask(server, { credentials: robot }).resolve()).toEqual(found);
    expect(server.asked.map(({ method, path, authorization }) => [method, path, authorization])).toEqual([
      ["HEAD", "/v2/shop/api/manifests/1.0.0", undefined],
      ["GET", "/token?service=the%2C+registry&scope=repository%3Ashop%2Fapi%3Apull%2Cpush", robotBasic],
      ["HEAD", "/v2/shop/api/manifests/1.0.0", "Bearer fresh"],
    ]);
  });

  it("gets no credential if none is configured", async () => {
    const server = await registryWithTokens((_, response) => reply(response, 200, { token: "fresh" }));

    expect(await ask(server).resolve()).toEqual(found);
    expect(server.asked[1]?.authorization).toBeUndefined();
  });

  it("exchanges an identity token by POST, without an address that holds it", async () => {
    const server = await registryWithTokens((_, response) => reply(response, 200, { access_token: "fresh" }));

    expect(await ask(server, { credentials: async () => ({ token: "identity" }) }).resolve()).toEqual(found);
    expect(server.asked[1]).toEqual({
      method: "POST",
      path: "/token",
      authorization: undefined,
      body: "grant_type=refresh_token&refresh_token=identity&client_id=lookout&service=the%2C+registry&scope=repository%3Ashop%2Fapi%3Apull%2Cpush",
    });
  });

  it.each([
    { expiresIn: 300, keptMs: 269_999, because: "as long as the service says, less a tenth" },
    { expiresIn: undefined, keptMs: 53_999, because: "a minute when the service does not say" },
    { expiresIn: -1, keptMs: 53_999, because: "a minute when the service says nonsense" },
    { expiresIn: 1e9, keptMs: 3_239_999, because: "an hour at most" },
  ])("gets the same token $because", async ({ expiresIn, keptMs }) => {
    let now = 0;
    const server = await registryWithTokens((_, response) =>
      reply(response, 200, { token: "fresh", expires_in: expiresIn }),
    );
    const asking = ask(server, { monotonicMs: () => now });
    const tokensAsked = () => server.asked.filter(({ path }) => path.startsWith("/token")).length;
    await asking.resolve();

    now = keptMs;
    await asking.resolve();
    const before = tokensAsked();
    now = keptMs + 2;
    await asking.resolve();

    expect([before, tokensAsked()]).toEqual([1, 2]);
  });

  it("gets a new token when it rejects the old one", async () => {
    let valid = "first";
    const server = await start((asked, response) => {
      if (asked.path.startsWith("/token")) reply(response, 200, { token: valid });
      else
        guarded(
          () => `Bearer ${valid}`,
          () => `Bearer realm="http://${server.host}/token"`,
        )(asked, response);
    });
    const asking = ask(server);
    await asking.resolve();
    valid = "second";

    expect(await asking.resolve()).toEqual(found);
    expect(server.asked.slice(-3).map(({ path, authorization }) => [path.slice(0, 6), authorization])).toEqual([
      ["/v2/sh", "Bearer first"],
      ["/token", undefined],
      ["/v2/sh", "Bearer second"],
    ]);
  });

  it.each([
    { status: 401, body: {}, kind: "denied", says: "answered 401" },
    { status: 403, body: {}, kind: "denied", says: "answered 403" },
    { status: 400, body: {}, kind: "denied", says: "answered 400" },
    { status: 302, body: {}, kind: "unreachable", says: "Lookout does not follow its redirects" },
    { status: 200, body: "no JSON", kind: "unreachable", says: "without a token" },
    { status: 200, body: { token: "" }, kind: "unreachable", says: "without a token" },
    { status: 200, body: { token: "two\r\nlines: x" }, kind: "unreachable", says: "without a token" },
    { status: 500, body: {}, kind: "unreachable", says: "answered 500" },
  ])("is $kind when its service answers $status ($says)", async ({ status, body, kind, says }) => {
    const server = await registryWithTokens((_, response) => reply(response, status, body));

    const answer = await ask(server, { credentials: robot }).resolve();

    const outage = status === 500 ? { isOutage: true, status } : {};
    expect(answer).toEqual({ kind, ...outage, detail: expect.stringContaining(says) as unknown });
    expect(JSON.stringify(answer)).not.toContain("pass:word");
  });

  it("reports when a throttled token service allows the next request", async () => {
    const server = await registryWithTokens((_, response) => reply(response, 429, {}, { "retry-after": "9" }));

    expect(await ask(server).resolve()).toMatchObject({ kind: "unreachable", retryAfterMs: 9000 });
  });
});

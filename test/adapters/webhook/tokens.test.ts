import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { tokenCheck } from "#adapters/webhook/tokens";
import { googleTokens, type TokenTrust } from "#contracts/config/receiver-kinds";
import { epochMs, toIso } from "#domain/shared/time";

const now = epochMs(Date.UTC(2026, 4, 1, 12));
const clock = { now: () => now };
const seconds = Math.floor(now / 1_000);
const account = "push@my-project.iam.gserviceaccount.com";
const claims = {
  iss: "https://accounts.google.com",
  aud: "lookout",
  email: account,
  email_verified: true,
  sub: "1137",
  exp: seconds + 60,
};

type Key = Awaited<ReturnType<typeof generateKeyPair>>["privateKey"];
let ours: Key;
let others: Key;
let trust: TokenTrust;
beforeAll(async () => {
  const pair = await generateKeyPair("RS256", { extractable: true });
  ours = pair.privateKey;
  others = (await generateKeyPair("RS256")).privateKey;
  const keys = { keys: [{ ...(await exportJWK(pair.publicKey)), kid: "k", alg: "RS256" }] };
  trust = { audience: "lookout", issuers: googleTokens.issuers, email: account, keys };
});

const signed = (change: object = {}, key = ours): Promise<string> =>
  new SignJWT({ ...claims, ...change }).setProtectedHeader({ alg: "RS256", kid: "k" }).sign(key);

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

async function refusalOf(token: string, of = trust): Promise<string | undefined> {
  return tokenCheck(of, clock)({ headers: { authorization: `Bearer ${token}` } });
}

describe("a token", () => {
  it("is accepted from the issuer, for the audience and the account", async () => {
    expect(await refusalOf(await signed())).toBeUndefined();
    expect(await refusalOf(await signed(), { ...trust, email: undefined, subject: "1137" })).toBeUndefined();
  });

  it.each([
    ["of another audience", { aud: "other" }, "the token's aud is not the expected value"],
    ["of another issuer", { iss: "https://issuer.example.com" }, "the token's iss is not the expected value"],
    ["of another account", { email: "other@example.com" }, "the token's account is not the expected account"],
    [
      "of an account that nobody verified",
      { email_verified: false },
      "the token's account is not the expected account",
    ],
    [
      "of an account that is verified in words",
      { email_verified: "true" },
      "the token's account is not the expected account",
    ],
    ["without an expiry", { exp: undefined }, "the token's exp is not the expected value"],
    ["not valid yet", { nbf: seconds + 60 }, "the token's nbf is not the expected value"],
    [`good until ${toIso(now)}`, { exp: seconds }, "the token has expired"],
  ])("is refused when it is %s", async (_, change, reason) => {
    expect(await refusalOf(await signed(change))).toBe(reason);
  });

  it("is refused with another subject", async () => {
    expect(await refusalOf(await signed(), { ...trust, email: undefined, subject: "1138" })).toBe(
      "the token's subject is not the expected subject",
    );
  });

  it("is refused with a foreign signature, without a signature, and in another format", async () => {
    const reason = "the token is not signed by the issuer";
    expect(await refusalOf(await signed({}, others))).toBe(reason);
    expect(await refusalOf(`${part({ alg: "none" })}.${part(claims)}.`)).toBe(reason);
    expect(await refusalOf(`${part({ alg: "HS256", kid: "k" })}.${part(claims)}.${part({})}`)).toBe(reason);
    expect(await refusalOf("a.b.c")).toBe(reason);
  });

  it("can't be checked without its issuer's keys: the sender tries again", async () => {
    const away = tokenCheck({ ...trust, keys: "http://127.0.0.1:1/keys" }, clock);
    const headers = { authorization: `Bearer ${await signed()}` };

    await expect(away({ headers })).rejects.toMatchObject({ name: "TransientError" });
  });

  it("of another tenant is refused, though the same keys sign for it (CVE-2026-40109)", async () => {
    const tenant = (id: string): string => `https://sts.windows.net/${id}/`;
    const ofTenant = { ...trust, issuers: [tenant("ours")], email: undefined, subject: "1137" };

    expect(await refusalOf(await signed({ iss: tenant("ours") }), ofTenant)).toBeUndefined();
    expect(await refusalOf(await signed({ iss: tenant("theirs") }), ofTenant)).toBe(
      "the token's iss is not the expected value",
    );
    expect(await refusalOf(await signed({ email: "push@other-project.iam.gserviceaccount.com" }))).toBe(
      "the token's account is not the expected account",
    );
  });

  it("of another repository's build is refused, though GitHub made it for this audience", async () => {
    const iss = "https://token.actions.githubusercontent.com";
    const build = { ...trust, issuers: [iss], email: undefined, subject: "repo:org/app:ref:refs/heads/main" };
    const of = async (sub: string) => refusalOf(await signed({ iss, sub }), build);

    expect(await of("repo:org/app:ref:refs/heads/main")).toBeUndefined();
    expect(await of("repo:org/app:ref:refs/heads/main2")).toContain("subject is not the expected subject");
    expect(await of("repo:org/app:pull_request")).toContain("subject is not the expected subject");
    expect(await of("repo:stranger/app:ref:refs/heads/main")).toContain("subject is not the expected subject");
  });

  it.each([{}, { authorization: "" }, { authorization: "Basic eA==" }, { authorization: "Bearer " }])(
    "is missing in %j",
    async (headers) => {
      expect(await tokenCheck(trust, clock)({ headers })).toMatch(/^the Authorization header is /);
    },
  );
});

describe("the keys of a token's issuer", () => {
  let asked: string[];
  let answer: (response: ServerResponse) => void;
  let server: Server;
  let origin: string;
  beforeEach(async () => {
    asked = [];
    answer = (response) => response.end(JSON.stringify(trust.keys));
    server = createServer(({ url = "" }, response) => {
      asked.push(url);
      answer(response);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(() => {
    server.close();
    server.closeAllConnections();
  });

  const checkWith = (time: { now: () => ReturnType<typeof epochMs> } = clock) => {
    const check = tokenCheck({ ...trust, keys: `${origin}/keys` }, time);
    return (token: string) => check({ headers: { authorization: `Bearer ${token}` } });
  };

  it("are fetched once for many tokens, and not again for each forged one", async () => {
    const check = checkWith();
    const forged = await new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: "unknown" }).sign(others);

    for (let sent = 0; sent < 20; sent += 1) {
      expect(await check(await signed())).toBeUndefined();
      expect(await check(forged)).toBe("the token is not signed by the issuer");
    }
    expect(asked).toEqual(["/keys"]);
  });

  it("are never fetched from an address that a token names", async () => {
    const named = { jku: `${origin}/forged`, x5u: `${origin}/forged` };
    const forged = await new SignJWT({ ...claims, iss: `${origin}/forged` })
      .setProtectedHeader({ alg: "RS256", kid: "k", ...named })
      .sign(others);

    expect(await checkWith()(forged)).toBe("the token is not signed by the issuer");
    expect(asked).toEqual(["/keys"]);
  });

  it.each([
    ["are over 262144 bytes", (response: ServerResponse) => response.end(JSON.stringify(trust.keys).padEnd(300_000))],
    ["are elsewhere", (response: ServerResponse) => response.writeHead(302, { location: `${origin}/other` }).end()],
    ["fail", (response: ServerResponse) => response.writeHead(500).end()],
    ["are no keys", (response: ServerResponse) => response.end('{"keys":1}')],
    ["are no JSON", (response: ServerResponse) => response.end("<html>")],
  ])("are missing when they %s: the sender tries again", async (_, failing) => {
    answer = failing;

    await expect(checkWith()(await signed())).rejects.toMatchObject({ name: "TransientError" });
    expect(asked).toEqual(["/keys"]);
  });

  it("are fetched again ten seconds after a failure, for any number of tokens", async () => {
    let time = now;
    const check = checkWith({ now: () => time });
    const token = await signed({ exp: seconds + 3_600 });
    answer = (response) => response.writeHead(500).end();
    for (let sent = 0; sent < 20; sent += 1)
      await expect(check(token)).rejects.toMatchObject({ name: "TransientError" });
    expect(asked).toHaveLength(1);

    time = epochMs(now + 10_000);
    answer = (response) => response.end(JSON.stringify(trust.keys));
    expect(await check(token)).toBeUndefined();
    expect(asked).toHaveLength(2);
  });
});

import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { beforeAll, describe, expect, it } from "vitest";
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
  it("is believed when it is of the issuer, the audience and the account", async () => {
    expect(await refusalOf(await signed())).toBeUndefined();
    expect(await refusalOf(await signed(), { ...trust, email: undefined, subject: "1137" })).toBeUndefined();
  });

  it.each([
    ["of another audience", { aud: "other" }, "the token's aud is not the one expected"],
    ["of another issuer", { iss: "https://issuer.example.com" }, "the token's iss is not the one expected"],
    ["of another account", { email: "other@example.com" }, "the token is not of the account that the receiver expects"],
    [
      "of an account that nobody verified",
      { email_verified: false },
      "the token is not of the account that the receiver expects",
    ],
    [
      "of an account that is verified in words",
      { email_verified: "true" },
      "the token is not of the account that the receiver expects",
    ],
    ["good for ever", { exp: undefined }, "the token's exp is not the one expected"],
    ["not good yet", { nbf: seconds + 60 }, "the token's nbf is not the one expected"],
    [`good until ${toIso(now)}`, { exp: seconds }, "the token has expired"],
  ])("is refused when it is %s", async (_, change, reason) => {
    expect(await refusalOf(await signed(change))).toBe(reason);
  });

  it("is refused when it is of another subject", async () => {
    expect(await refusalOf(await signed(), { ...trust, email: undefined, subject: "1138" })).toBe(
      "the token is not of the subject that the receiver expects",
    );
  });

  it("is refused when another signed it, when nobody did, and when its text is none", async () => {
    const reason = "the token is not signed by the issuer";
    expect(await refusalOf(await signed({}, others))).toBe(reason);
    expect(await refusalOf(`${part({ alg: "none" })}.${part(claims)}.`)).toBe(reason);
    expect(await refusalOf(`${part({ alg: "HS256", kid: "k" })}.${part(claims)}.${part({})}`)).toBe(reason);
    expect(await refusalOf("a.b.c")).toBe(reason);
  });

  it("can't be judged while the keys of its issuer can't be had: the sender is asked to try again", async () => {
    const away = tokenCheck({ ...trust, keys: "http://127.0.0.1:1/keys" }, clock);
    const headers = { authorization: `Bearer ${await signed()}` };

    await expect(away({ headers })).rejects.toMatchObject({ name: "TransientError" });
  });

  it.each([{}, { authorization: "" }, { authorization: "Basic eA==" }, { authorization: "Bearer " }])(
    "is missing in %j",
    async (headers) => {
      expect(await tokenCheck(trust, clock)({ headers })).toMatch(/^the Authorization header is /);
    },
  );
});

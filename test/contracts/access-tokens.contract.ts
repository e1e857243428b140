import { beforeEach, expect, it } from "vitest";
import type { AccessToken } from "#domain/access/token";
import { hours, plus } from "#domain/shared/time";
import type { AccessTokens } from "#ports/access-tokens";
import { start } from "./records.ts";

const token = (name: string, given: Partial<AccessToken> = {}): AccessToken => ({
  ...{ name, id: "a".repeat(12), hash: "a".repeat(64), role: "approver", createdBy: "ben", createdAt: start },
  ...given,
});
const whole = { clusters: ["prod"], namespaces: ["shop", "pay-*"], expiresAt: plus(start, hours(1)) };

/** What every store of personal tokens does. */
export function accessTokensContract(makeTokens: () => Promise<AccessTokens>): void {
  let tokens: AccessTokens;
  beforeEach(async () => {
    tokens = await makeTokens();
  });

  it("tokens are stored whole, and listed by name", async () => {
    expect([await tokens.read("ana"), await tokens.list()]).toEqual([undefined, []]);
    expect(await tokens.replace(undefined, token("cy", whole))).toBe(true);
    expect(await tokens.replace(undefined, token("ana"))).toBe(true);

    expect(await tokens.list()).toEqual([token("ana"), token("cy", whole)]);
    expect([await tokens.read("cy"), await tokens.read("ben")]).toEqual([token("cy", whole), undefined]);
  });

  it("a name has one token, which only a caller replaces who knows the stored one", async () => {
    const revoked = token("ana", { revokedAt: start });
    const next = token("ana", { id: "b".repeat(12), hash: "b".repeat(64) });
    await tokens.replace(undefined, token("ana"));

    expect(await tokens.replace(undefined, next)).toBe(false);
    expect(await tokens.replace(next, next)).toBe(false);
    expect(await tokens.replace(token("ana"), revoked)).toBe(true);
    // The use of a token that was revoked meanwhile does not bring it back.
    expect(await tokens.replace(token("ana"), token("ana", { lastUsedAt: start }))).toBe(false);
    expect(await tokens.replace(revoked, next)).toBe(true);
    expect(await tokens.read("ana")).toEqual(next);
  });
}

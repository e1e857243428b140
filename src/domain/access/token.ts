import { ok, problem, type Result } from "../shared/result.ts";
import { sha256 } from "../shared/sha256.ts";
import { type EpochMs, hours, since, toIso } from "../shared/time.ts";
import type { Role } from "./roles.ts";
import type { TokenScope } from "./scope.ts";

/** A person's token for the API of a local Lookout, without its secret. Each name has one token. */
export interface AccessToken extends TokenScope {
  /** The name of the token's holder. */
  readonly name: string;
  /** The first twelve digits of the hash. A later token of the same name has another id. */
  readonly id: string;
  /** The SHA-256 of the whole text. The text has 32 random bytes, so a plain hash is enough. */
  readonly hash: string;
  readonly role: Role;
  readonly createdBy: string;
  readonly createdAt: EpochMs;
  /** Absent: the token never expires. */
  readonly expiresAt?: EpochMs;
  readonly revokedAt?: EpochMs;
  /** The last use, exact to a day. Absent: the token was never used. */
  readonly lastUsedAt?: EpochMs;
}

/** The beginning of every token, by which scanners of secrets find it. */
export const tokenPrefix = "lookout_";

const tokenPattern = /^lookout_([a-z0-9-]{1,63})_[\w-]{43}$/;

/** Returns the text of a token. Its name tells commands who acts. */
export function writtenToken(name: string, secret: string): string {
  return `${tokenPrefix}${name}_${secret}`;
}

/** Returns the name in a token's text; undefined for another text. */
export function nameInToken(text: string): string | undefined {
  return tokenPattern.exec(text)?.[1];
}

/** Returns the hash and the id of a token's text. */
export function marksOfToken(text: string): Pick<AccessToken, "hash" | "id"> {
  const hash = sha256(text);
  return { hash, id: hash.slice(0, 12) };
}

/** Returns whether a token can still be used. The problem says what its holder does. */
export function usable(token: AccessToken, now: EpochMs): Result<AccessToken, string> {
  const { name, revokedAt, expiresAt } = token;
  const again = `ask an owner for a new one: lookout token create ${name}`;
  if (revokedAt !== undefined) return problem(`the token of ${name} was revoked at ${toIso(revokedAt)}; ${again}`);
  if (expiresAt !== undefined && now >= expiresAt)
    return problem(`the token of ${name} expired at ${toIso(expiresAt)}; ${again}`);
  return ok(token);
}

/** Returns whether a use has to be stored: the stored use is a day old, or there is none. */
export function isUseToStore({ lastUsedAt }: AccessToken, now: EpochMs): boolean {
  return lastUsedAt === undefined || since(lastUsedAt, now) >= hours(24);
}

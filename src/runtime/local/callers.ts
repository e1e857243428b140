import { createHash, timingSafeEqual } from "node:crypto";
import { type Access, accessOfToken, fullAccess } from "#domain/access/access";
import { coversArea, isWholeFleet } from "#domain/access/scope";
import { isUseToStore, marksOfToken, nameInToken, tokenPrefix, usable } from "#domain/access/token";
import { isRegistryFact, type RegistryFact } from "#domain/registry/outage";
import { ok, problem, type Result } from "#domain/shared/result";
import type { Fact } from "#domain/update/events";
import type { AccessTokens } from "#ports/access-tokens";
import type { Clock } from "#ports/clock";

/** What proves callers: the token of the state folder, and the personal tokens. */
export interface Proofs {
  readonly folderToken: string;
  readonly tokens?: AccessTokens | undefined;
  readonly clock: Clock;
}

/**
 * Returns the rights of a caller by the header `authorization`. The problem says what is wrong with
 * the token, and never shows it.
 */
export async function callerIn(header: string | undefined, proofs: Proofs): Promise<Result<Access, string>> {
  // The name of a scheme is case-insensitive: https://www.rfc-editor.org/rfc/rfc9110 §11.1
  const shown = /^bearer +(.*)$/i.exec(header ?? "")?.[1] ?? "";
  if (isSame(shown, proofs.folderToken)) return ok(fullAccess);
  if (shown.startsWith(tokenPrefix)) return callerOfToken(shown, proofs);
  return problem(
    "the API needs the token of the state folder, or a token of lookout token create: Authorization: Bearer <token>",
  );
}

async function callerOfToken(text: string, { tokens, clock }: Proofs): Promise<Result<Access, string>> {
  const name = nameInToken(text);
  const token = name === undefined ? undefined : await tokens?.read(name);
  // A stranger does not learn whether the name has a token.
  if (token === undefined || !isSame(marksOfToken(text).hash, token.hash))
    return problem("this personal token is wrong; ask an owner for a new one: lookout token create");
  const now = clock.now();
  const used = usable(token, now);
  if (!used.ok) return used;
  // The date of the last use is only a hint, so a failed write refuses nobody.
  if (isUseToStore(token, now)) await tokens?.replace(token, { ...token, lastUsedAt: now }).catch(() => false);
  return ok(accessOfToken(token));
}

/** Returns whether a caller may see a fact. Only the whole fleet has the facts about registries. */
export function maySee({ scope }: Access, fact: Fact | RegistryFact): boolean {
  return isRegistryFact(fact) ? isWholeFleet(scope) : coversArea(scope, fact.workload);
}

/** Returns whether two texts are the same. The time of the comparison reveals nothing about them. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}

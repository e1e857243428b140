import { ok, problem, type Result } from "#domain/shared/result";
import type { AuthenticationScheme } from "./receiver-kinds.ts";

/** The minimum length of a secret. For `user:password`, the minimum applies to the password. */
const fewestSecretCharacters = 16;

/** The maximum number of secrets of one receiver: the current secret, and the next. */
const mostSecrets = 2;

/**
 * Parses a receiver's secrets, one on each line. During a change of the secret, both secrets are
 * valid.
 *
 * @returns at least one secret, or the problem of the text. The problem never contains a secret.
 */
export function readSecrets(text: string | undefined, scheme: AuthenticationScheme): Result<readonly string[], string> {
  const secrets = secretLines(text);
  if (secrets.length === 0) return problem("there is no secret");
  if (secrets.length > mostSecrets)
    return problem(`there are more than ${mostSecrets} secrets: keep the one in use and the next, each on its line`);
  if (secrets.every((secret) => unguessable(secret, scheme).length >= fewestSecretCharacters)) return ok(secrets);
  const part = scheme === "basic" ? "password" : "secret";
  return problem(
    `a ${part} is shorter than ${fewestSecretCharacters} characters. Generate a secret: openssl rand -hex 32`,
  );
}

/** Returns the secrets in a text, one on each line that is not blank. */
export function secretLines(text = ""): readonly string[] {
  return text.split(/\r?\n/).filter((line) => line.trim() !== "");
}

/**
 * Returns the part of a secret that others can't guess: the password of `user:password` or `Basic
 * …`.
 */
function unguessable(secret: string, scheme: AuthenticationScheme): string {
  const [, name = "", rest = secret] = scheme === "bearer" ? (/^(bearer|basic) +(.*)$/i.exec(secret) ?? []) : [];
  const isBasic = scheme === "basic" || name.toLowerCase() === "basic";
  const credentials = scheme === "basic" ? rest : isBasic ? Buffer.from(rest, "base64").toString() : rest;
  return isBasic ? credentials.slice(credentials.indexOf(":") + 1) : rest;
}

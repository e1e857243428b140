import * as z from "zod";
import { ok, problem, type Result } from "#domain/shared/result";
import type { ReceiverConfiguration } from "./configuration.ts";
import type { AuthenticationScheme } from "./receiver-kinds.ts";
import { receiverSecretPlace, type SecretPlace } from "./secret-places.ts";

/** The place of a receiver's secret. */
export interface ReceiverSecret {
  readonly receiver: string;
  readonly place: SecretPlace;
}

const receiverSecrets = z.array(
  z.object({
    receiver: z.string(),
    place: z.union([z.object({ parameter: z.string() }), z.object({ secret: z.string() })]),
  }),
);

/** Returns the receivers with a secret. Receivers that accept tokens have none. */
export function withSecret(receivers: readonly ReceiverConfiguration[]): readonly ReceiverConfiguration[] {
  return receivers.filter(({ tokens }) => tokens === undefined);
}

/**
 * Writes the places of all receivers' secrets, for a stack output; {@link receiverSecretsOf} parses
 * it.
 */
export function receiverSecretsText(receivers: readonly ReceiverConfiguration[], stack: string): string {
  const all: readonly ReceiverSecret[] = withSecret(receivers).map((receiver) => ({
    receiver: receiver.name,
    place: receiverSecretPlace(receiver, stack),
  }));
  return JSON.stringify(all);
}

/** Parses the places of a stack's receiver secrets; none when the output is absent. */
export function receiverSecretsOf(output = "[]"): readonly ReceiverSecret[] {
  return receiverSecrets.parse(JSON.parse(output));
}

/** The fewest characters of a secret. Of `user:password` the password has as many. */
export const fewestSecretCharacters = 16;

/** The most secrets that one receiver takes at a time: one in use, and the next. */
const mostSecrets = 2;

/**
 * Reads the text that holds a receiver's secrets, one on each line: during a change of the secret both are valid.
 *
 * @returns at least one secret, or why none of them may be used. The reason never holds a secret.
 */
export function readSecrets(text: string | undefined, scheme: AuthenticationScheme): Result<readonly string[], string> {
  const secrets = secretLines(text);
  if (secrets.length === 0) return problem("there is no secret");
  if (secrets.length > mostSecrets)
    return problem(`there are more than ${mostSecrets} secrets: keep the one in use and the next, each on its line`);
  if (secrets.every((secret) => unguessable(secret, scheme).length >= fewestSecretCharacters)) return ok(secrets);
  const part = scheme === "basic" ? "password" : "secret";
  return problem(`a ${part} is shorter than ${fewestSecretCharacters} characters. To make one: openssl rand -hex 32`);
}

/** Returns the secrets in a text, one on each line that is not blank. */
export function secretLines(text = ""): readonly string[] {
  return text.split(/\r?\n/).filter((line) => line.trim() !== "");
}

/** Returns the part of a secret that others can't know: of `user:password`, plain or as `Basic …`, the password. */
function unguessable(secret: string, scheme: AuthenticationScheme): string {
  const [, name = "", rest = secret] = scheme === "bearer" ? (/^(bearer|basic) +(.*)$/i.exec(secret) ?? []) : [];
  const isBasic = scheme === "basic" || name.toLowerCase() === "basic";
  const credentials = scheme === "basic" ? rest : isBasic ? Buffer.from(rest, "base64").toString() : rest;
  return isBasic ? credentials.slice(credentials.indexOf(":") + 1) : rest;
}

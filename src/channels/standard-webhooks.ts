import { createHmac } from "node:crypto";
import type { EpochMs } from "#domain/shared/time";

/** The bytes of a key. @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */
const keyBytes = { fewest: 24, most: 64 } as const;
const keyPrefix = "whsec_";
/** While a key changes, receivers may have either of two. */
const mostKeys = 2;

/** What is wrong with a secret that {@link keysOf} does not read. */
export const notKeys =
  "the secret is not whsec_ and the base64 of 24 to 64 bytes, or two of those with a space between";

/**
 * Returns the headers that prove the sender of a message.
 *
 * @param id - without dots, because the signature separates its parts with dots
 */
export function signatureHeaders(
  keys: readonly Buffer[],
  id: string,
  body: string,
  now: EpochMs,
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(now / 1_000));
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": keys.map((key) => `v1,${signature(key, id, timestamp, body)}`).join(" "),
  };
}

/** Returns the base64 of the HMAC of a message. @see https://www.standardwebhooks.com */
export function signature(key: Buffer, id: string, timestamp: string, body: string): string {
  return createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
}

/** Returns the keys of a secret, or undefined if one of them is none. The first one signs first. */
export function keysOf(secret: string): readonly Buffer[] | undefined {
  const keys = secret.trim().split(/\s+/).map(keyOf);
  return keys.length <= mostKeys && keys.every((key) => key !== undefined) ? keys : undefined;
}

/** Returns the bytes of one key, or undefined for a text that is none. */
export function keyOf(text: string): Buffer | undefined {
  if (!text.startsWith(keyPrefix)) return undefined;
  const base64 = text.slice(keyPrefix.length);
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return undefined;
  const key = Buffer.from(base64, "base64");
  return key.length < keyBytes.fewest || key.length > keyBytes.most ? undefined : key;
}

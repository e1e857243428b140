import { createHmac, timingSafeEqual } from "node:crypto";
import { type Authentication, type HmacAlgorithm, hmacAlgorithms } from "#contracts/config/receiver-kinds";
import type { ReceivedRequest } from "#ports/push-receiver";

/** The algorithms of `hmac`, unless `lookout.yaml` lists others. */
const usualAlgorithms = ["sha256"] as const satisfies readonly HmacAlgorithm[];

/** The expected proof of a request. */
export interface Expected {
  readonly authentication: Authentication;
  /** The valid secrets. Without secrets, all requests are rejected. */
  readonly secrets: readonly string[];
  /** The bytes that a signature covers. */
  readonly signed: Uint8Array;
}

/**
 * Returns why a request is not authenticated, or undefined for an authenticated request. Without
 * secrets, no request is authenticated.
 */
export function whyUnauthenticated(
  request: ReceivedRequest,
  { authentication, secrets, signed }: Expected,
): string | undefined {
  if (secrets.length === 0) return "the receiver has no secret, so it rejects all requests";
  const { header, query = "" } = authentication;
  const where = header === undefined ? `the query parameter ${query}` : `the ${header} header`;
  const given = header === undefined ? request.query[query] : request.headers[header.toLowerCase()];
  if (given === undefined) return `${where} is missing`;
  const { scheme } = authentication;
  if (scheme === "plain" || scheme === "bearer" || scheme === "basic") {
    const proof = Buffer.from(withSchemeName(given));
    const isExpected = secrets.some((secret) => sameBytes(proof, Buffer.from(expectedValue(scheme, secret))));
    return isExpected ? undefined : `${where} does not match the receiver's secret`;
  }
  const why = whyUnsigned(given, { authentication, secrets, signed });
  return why === undefined ? undefined : `${where} is not ${why}`;
}

function whyUnsigned(given: string, { authentication, secrets, signed }: Expected): string | undefined {
  const signature = signatureIn(given, authentication);
  if (signature === undefined) return `of the form ${formOf(authentication)}`;
  const digits = Buffer.from(signature.digits, "hex");
  const isSigned = secrets.some((secret) =>
    sameBytes(digits, createHmac(signature.algorithm, secret).update(signed).digest()),
  );
  return isSigned ? undefined : "the signature of this body with the receiver's secret";
}

function expectedValue(scheme: "plain" | "bearer" | "basic", secret: string): string {
  if (scheme === "plain") return withSchemeName(secret);
  if (scheme === "basic") return `Basic ${Buffer.from(secret).toString("base64")}`;
  return /^(?:bearer|basic) /i.test(secret) ? withSchemeName(secret) : `Bearer ${secret}`;
}

/**
 * Returns the value with the scheme's name written as `Bearer` or `Basic`, because case does not
 * matter in the name: https://www.rfc-editor.org/rfc/rfc9110 §11.1
 */
function withSchemeName(value: string): string {
  return value.replace(/^(?:bearer|basic)(?= )/i, (name) => (name.length === 6 ? "Bearer" : "Basic"));
}

/**
 * Returns the signature in a proof. The function accepts only configured algorithms, because the
 * sender chooses the algorithm's name.
 */
function signatureIn(
  given: string,
  { scheme, prefix = "", algorithms = usualAlgorithms }: Authentication,
): { readonly algorithm: HmacAlgorithm; readonly digits: string } | undefined {
  const stated = scheme === "hmac" ? algorithms : hmacAlgorithms.filter((known) => scheme === `hmac-${known}`);
  for (const algorithm of stated) {
    const before = scheme === "hmac" ? `${algorithm}=` : prefix;
    const digits = given.startsWith(before) ? given.slice(before.length) : "";
    if (/^(?:[0-9A-Fa-f]{2})+$/.test(digits)) return { algorithm, digits };
  }
  return undefined;
}

function formOf({ scheme, prefix = "", algorithms: [algorithm] = usualAlgorithms }: Authentication): string {
  return `${scheme === "hmac" ? `${algorithm ?? ""}=` : prefix}<hexadecimal HMAC of the body>`;
}

/**
 * Returns whether bytes are equal, in constant time. The comparison may reveal only the lengths.
 */
function sameBytes(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && timingSafeEqual(left, right);
}

import { createHmac, timingSafeEqual } from "node:crypto";
import type { ReceivedRequest } from "#ports/push-receiver";

/** The hashes that a signature may name. The name comes from the sender, so it is compared with these and never handed on. */
const signature = /^(sha1|sha256|sha512)=([0-9A-Fa-f]+)$/;

/** Why a request is not believed; undefined when it is. */
export type Refusal = string | undefined;

/**
 * Compares the `Authorization` header with `Bearer <secret>`, or with the whole secret where that is the header's value
 * (`Basic …`), as the distribution registry sends what its configuration says.
 *
 * @see https://distribution.github.io/distribution/about/notifications/#endpoints
 */
export function refuseAuthorization(request: ReceivedRequest, secret: string | undefined): Refusal {
  if (secret === undefined || secret.trim() === "") return "the receiver has no secret, so it accepts nothing";
  const header = request.headers["authorization"];
  if (header === undefined) return "the Authorization header is missing";
  const given = Buffer.from(header);
  const accepted = [`Bearer ${secret}`, secret].map((value) => sameBytes(given, Buffer.from(value)));
  return accepted.includes(true) ? undefined : "the Authorization header is not the one that the receiver expects";
}

/**
 * Checks `X-Signature: <sha1|sha256|sha512>=<hexadecimal HMAC of the body>`, over the body's bytes as they came.
 *
 * @see https://fluxcd.io/flux/components/notification/receivers/#generic-hmac-receiver
 */
export function refuseSignature(request: ReceivedRequest, secret: string | undefined): Refusal {
  if (secret === undefined || secret.trim() === "") return "the receiver has no secret, so it accepts nothing";
  const header = request.headers["x-signature"];
  if (header === undefined) return "the X-Signature header is missing";
  const [, algorithm, hex] = signature.exec(header) ?? [];
  if (algorithm === undefined || hex === undefined) {
    return "the X-Signature header is not of the form sha256=<hexadecimal HMAC of the body>";
  }
  const expected = createHmac(algorithm, secret).update(request.body).digest();
  const signed = sameBytes(Buffer.from(hex, "hex"), expected) && hex.length === expected.length * 2;
  return signed ? undefined : "the X-Signature header is not the signature of this body with the receiver's secret";
}

/** In a time that tells nothing of the bytes; that the lengths differ may be seen. */
function sameBytes(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && timingSafeEqual(left, right);
}

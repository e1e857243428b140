import { X509Certificate } from "node:crypto";
import { parseJson } from "#domain/shared/json";

/** The proof of identity in a request. */
export interface Proof {
  readonly token?: string | undefined;
  /** The client certificate, in PEM. */
  readonly certificate?: string | Buffer | undefined;
  /** The expiry that the issuer states. */
  readonly expiresAt?: Date | undefined;
}

/**
 * Returns a text about an expired credential: `its client certificate expired at 2026-…`. The text
 * contains only dates.
 *
 * @returns undefined when the credential has not expired, or has no date.
 */
export function expired({ token, certificate, expiresAt }: Proof, now: Date): string | undefined {
  const ends = [
    ["it", expiresAt],
    ["its token", token === undefined ? undefined : endOfToken(token)],
    ["its client certificate", certificate === undefined ? undefined : endOfCertificate(certificate)],
  ] as const;
  const past = ends.find(([, end]) => end !== undefined && end.getTime() <= now.getTime());
  return past === undefined ? undefined : `${past[0]} expired at ${past[1]?.toISOString() ?? ""}`;
}

/** Returns the time of a JSON Web Token's issue and of its end; undefined for another token. */
export function tokenTimes(token: string): { readonly issuedAt: Date; readonly endsAt: Date } | undefined {
  const issuedAt = dateIn(token, "iat");
  const endsAt = endOfToken(token);
  return issuedAt === undefined || endsAt === undefined ? undefined : { issuedAt, endsAt };
}

function endOfToken(token: string): Date | undefined {
  return dateIn(token, "exp");
}

/**
 * Returns a date of a JSON Web Token.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7519#section-4.1
 */
function dateIn(token: string, claim: "iat" | "exp"): Date | undefined {
  const claims = token.split(".")[1];
  if (claims === undefined) return undefined;
  // Tokens of other formats have no JSON there.
  const read = (parseJson(Buffer.from(claims, "base64url").toString("utf8")) ?? {}) as Readonly<
    Record<string, unknown>
  >;
  const seconds = read[claim];
  return typeof seconds === "number" ? dateOf(seconds * 1000) : undefined;
}

function endOfCertificate(pem: string | Buffer): Date | undefined {
  try {
    return dateOf(Date.parse(new X509Certificate(pem).validTo));
  } catch {
    return undefined;
  }
}

function dateOf(milliseconds: number): Date | undefined {
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

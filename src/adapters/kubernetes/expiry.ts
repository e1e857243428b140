import { X509Certificate } from "node:crypto";
import { parseJson } from "#domain/shared/json";

/** What a request proves itself with. */
export interface Proof {
  readonly token?: string | undefined;
  /** PEM. */
  readonly certificate?: string | Buffer | undefined;
  /** What the giver of the credential says. */
  readonly expiresAt?: Date | undefined;
}

/**
 * Says in words when a credential expired, as far as it tells by itself: `its client certificate expired at 2026-…`.
 *
 * @returns undefined when it has not, or does not tell. Only dates are read, and nothing else of it is shown.
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

/** The claim `exp` of a JSON Web Token. @see https://www.rfc-editor.org/rfc/rfc7519#section-4.1.4 */
function endOfToken(token: string): Date | undefined {
  const claims = token.split(".")[1];
  if (claims === undefined) return undefined;
  // A token of another kind has no JSON there.
  const read = parseJson(Buffer.from(claims, "base64url").toString("utf8"));
  const { exp } = (read ?? {}) as { readonly exp?: unknown };
  return typeof exp === "number" ? dateOf(exp * 1000) : undefined;
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

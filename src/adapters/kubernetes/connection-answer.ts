/** What became of one request. */
export type Answer =
  | { readonly kind: "answered"; readonly status: number; readonly body: unknown }
  /** Nothing was done: no connection, no credentials, or none that the server accepts. */
  | { readonly kind: "not-sent"; readonly why: "unreachable" | "denied"; readonly detail: string }
  /** It may have been sent and acted on, but no whole answer came. */
  | { readonly kind: "no-answer"; readonly detail: string };

/** Says whether the server does not know the credential. A 401 with words is of an admission webhook. */
export function isNotAccepted(answer: { readonly kind: string }): boolean {
  const { status, body } = answer as Partial<Extract<Answer, { kind: "answered" }>>;
  const { message } = (body ?? {}) as { readonly message?: unknown };
  return status === 401 && (message === undefined || message === "Unauthorized");
}

/** Codes of errors that come before a request is written. A TLS alert counts only when it names the certificate. */
const beforeSending = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "CERT_HAS_EXPIRED",
  "CERT_NOT_YET_VALID",
  "ERR_TLS_CERT_ALTNAME_INVALID",
]);

/**
 * Classifies what was thrown instead of an answer.
 *
 * What can't be told apart counts as sent: the caller then looks before it writes again. Only codes are shown, never messages.
 */
export function failedAnswer(error: unknown, host: string): Answer {
  const codes = errorCodes(error);
  const early = codes.find((code) => beforeSending.has(code));
  if (early !== undefined)
    return { kind: "not-sent", why: "unreachable", detail: `no connection to ${host} (${early})` };
  return { kind: "no-answer", detail: `no answer from ${host} (${codes[0] ?? "unknown error"})` };
}

/** The codes, or else names, of an error, its causes and its parts, outermost first. */
function errorCodes(error: unknown, depth = 0): readonly string[] {
  if (!(error instanceof Error) || depth > 3) return [];
  const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
  const parts: readonly unknown[] = error instanceof AggregateError ? error.errors : [];
  return [code, ...[error.cause, ...parts].flatMap((inner) => errorCodes(inner, depth + 1))];
}

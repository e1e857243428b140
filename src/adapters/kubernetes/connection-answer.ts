/** The result of one request. */
export type Answer =
  | { readonly kind: "answered"; readonly status: number; readonly body: unknown }
  /** The server did nothing: there is no connection, or no accepted credential. */
  | { readonly kind: "not-sent"; readonly why: "unreachable" | "denied"; readonly detail: string }
  /** The server may have acted, but no complete answer came. */
  | {
      readonly kind: "no-answer";
      readonly detail: string;
      /** True if the answer has more bytes than the call allows. */
      readonly isTooLong?: true;
    };

/**
 * Returns whether the server rejected the credential. A 401 with a text comes from an admission
 * webhook.
 */
export function isNotAccepted(answer: { readonly kind: string }): boolean {
  const { status, body } = answer as Partial<Extract<Answer, { kind: "answered" }>>;
  const { message } = (body ?? {}) as { readonly message?: unknown };
  return status === 401 && (message === undefined || message === "Unauthorized");
}

/** Returns whether an answer has more bytes than its call allows. */
export function isTooLong(answer: Answer): boolean {
  return answer.kind === "no-answer" && answer.isTooLong === true;
}

const checkAddress = "check its address, and whether the API server is up";
const needsAuthority = "the kubeconfig needs the certificate-authority of this server";

/** The codes of connection errors. */
const away: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/**
 * The codes of other errors before a request is written, with their remedies. A TLS alert is
 * included only when it names the certificate.
 */
const beforeSending: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: needsAuthority,
  SELF_SIGNED_CERT_IN_CHAIN: needsAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: needsAuthority,
  UNABLE_TO_GET_ISSUER_CERT: needsAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: needsAuthority,
  CERT_HAS_EXPIRED: "renew the server's certificate",
  CERT_NOT_YET_VALID: "check the clocks, here and at the server",
  ERR_TLS_CERT_ALTNAME_INVALID: "the server's certificate is for another name, check the address and tls-server-name",
};

/** The error code of an answer with too many bytes, as in `zlib`. */
export const tooLongCode = "ERR_BUFFER_TOO_LARGE";

/** The names of errors after which the request may have been sent, with their remedies. */
const perhapsSent: Readonly<Record<string, string>> = {
  [tooLongCode]: "the answer is longer than 64 MiB, check the proxies in front of the server",
  ERR_SSL_WRONG_VERSION_NUMBER: "the server speaks plain HTTP, check its address and port",
  TimeoutError: "check the network and the load of the API server",
};

/**
 * Classifies the error of a request and adds its remedy, if there is one. After an unknown error,
 * the server may have acted, so the caller reads before it writes again. The details contain codes,
 * and never messages of errors.
 *
 * @param whenAway - the remedy for a missing connection, as the end of a sentence.
 */
export function failedAnswer(error: unknown, host: string, whenAway = checkAddress): Answer {
  const codes = errorCodes(error);
  const early = codes.find((code) => away.has(code) || code in beforeSending);
  if (early !== undefined)
    return {
      kind: "not-sent",
      why: "unreachable",
      detail: `no connection to ${host} (${early}): ${beforeSending[early] ?? whenAway}`,
    };
  const code = codes[0] ?? "unknown error";
  const remedy = perhapsSent[code];
  return {
    kind: "no-answer",
    detail: `no answer from ${host} (${code})${remedy === undefined ? "" : `: ${remedy}`}`,
    ...(code === tooLongCode ? { isTooLong: true } : {}),
  };
}

/**
 * Returns the codes of an error, its causes and its parts, outermost first. An error without a code
 * is listed by its name.
 */
function errorCodes(error: unknown, depth = 0): readonly string[] {
  if (!(error instanceof Error) || depth > 3) return [];
  const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
  const parts: readonly unknown[] = error instanceof AggregateError ? error.errors : [];
  return [code, ...[error.cause, ...parts].flatMap((inner) => errorCodes(inner, depth + 1))];
}

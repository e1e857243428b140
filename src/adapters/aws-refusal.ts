/** Why a service of AWS did not answer what it was asked. */
export interface AwsRefusal {
  readonly kind: "no-region" | "no-credentials" | "expired-credentials" | "denied" | "unreachable";
  /** What AWS or its client said, in one line. */
  readonly detail: string;
}

/** What AWS calls credentials that were good once. */
const expired = new Set(["ExpiredToken", "ExpiredTokenException", "RequestExpired"]);
/** What it calls those that are none of its own, or may not do this. */
const denied = new Set([
  "AccessDenied",
  "AccessDeniedException",
  "UnauthorizedOperation",
  "InvalidClientTokenId",
  "UnrecognizedClientException",
  "SignatureDoesNotMatch",
  "InvalidSignatureException",
  "AuthFailure",
]);

/**
 * Reads why a call to AWS failed; undefined: the service answered, and it was something else.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/APIReference/CommonErrors.html
 */
export function awsRefusal(error: unknown): AwsRefusal | undefined {
  if (!(error instanceof Error)) return undefined;
  const { name } = error;
  const [detail = ""] = error.message.split("\n");
  if (/region is missing/i.test(detail)) return { kind: "no-region", detail };
  if (name === "CredentialsProviderError" || name === "TokenProviderError")
    return { kind: /expired|sso login/i.test(detail) ? "expired-credentials" : "no-credentials", detail };
  if (expired.has(name)) return { kind: "expired-credentials", detail };
  if (denied.has(name)) return { kind: "denied", detail };
  return answered(error) ? undefined : { kind: "unreachable", detail: detail === "" ? codeOf(error) : detail };
}

/** A service that answered with an error that it names. */
function answered(error: Error): boolean {
  return "$fault" in error && (error.$fault === "client" || error.$fault === "server");
}

function codeOf(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}

/** Whoever waits for a command would rather read that AWS does not answer. */
export const callerPatience = {
  maxAttempts: 2,
  requestHandler: { connectionTimeout: 3_000, requestTimeout: 10_000, throwOnRequestTimeout: true },
} as const;

/** What proves to AWS who asks. */
export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly expiration?: Date;
}

/** Answers credentials that are good now; asked for each request. Rejects as the SDK does. */
export type CredentialProvider = () => Promise<AwsCredentials>;

/** How long requests to AWS may take: one second to connect, five for an answer, three attempts. */
export const awsClientOptions = {
  maxAttempts: 3,
  // Without `throwOnRequestTimeout` a request that takes too long is logged and goes on for ever.
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 5_000, throwOnRequestTimeout: true },
} as const;

/** What went wrong with a request to AWS, by what can be done about it. */
export type AwsTrouble = {
  /** The SDK's or the service's name of it; never its message, which may quote what was sent. */
  readonly code: string;
} & (
  | { readonly kind: "no-credentials" }
  /** Expired, revoked, or of another account: the service does not know them. */
  | { readonly kind: "credentials-not-accepted" }
  | { readonly kind: "denied" }
  | { readonly kind: "throttled"; readonly retryAfterMs: number }
  /** Anything else; it may be better the next time. */
  | { readonly kind: "away" }
);

const notFoundCredentials = new Set(["CredentialsProviderError", "TokenProviderError"]);
const notAccepted = new Set([
  "ExpiredToken",
  "ExpiredTokenException",
  "RequestExpired",
  "UnrecognizedClientException",
  "InvalidClientTokenId",
  "InvalidSignatureException",
  "SignatureDoesNotMatch",
  "AuthFailure",
]);
const denied = new Set([
  "AccessDenied",
  "AccessDeniedException",
  "UnauthorizedOperation",
  "AuthorizationErrorException",
]);
const throttled = /^(?:Throttl|TooManyRequests|RequestLimitExceeded|RequestThrottled|SlowDown)/;

/** AWS does not say when to come back; its own clients wait up to twenty seconds. */
const throttledForMs = 20_000;

/** Says what an error of the SDK means. What is unknown counts as away. */
export function troubleOf(error: unknown): AwsTrouble {
  const code = error instanceof Error ? codeOf(error) : "unknown error";
  if (notFoundCredentials.has(code)) return { kind: "no-credentials", code };
  if (notAccepted.has(code)) return { kind: "credentials-not-accepted", code };
  if (denied.has(code)) return { kind: "denied", code };
  return throttled.test(code) ? { kind: "throttled", code, retryAfterMs: throttledForMs } : { kind: "away", code };
}

/** Nothing was answered: why, for people, and whether it may be another time. */
export interface NoAnswer {
  readonly kind: "none";
  readonly text: string;
  readonly passing?: true;
}

/**
 * Says of an error of the SDK to people what is wrong, and what to do.
 *
 * @param service - who was asked, as the beginning of a sentence.
 * @param whenDenied - what is not allowed, and to whom.
 */
export function noAnswer(error: unknown, service: string, whenDenied: string): NoAnswer {
  const { kind, code } = troubleOf(error);
  const remedy = "log in to AWS again: aws sts get-caller-identity must answer";
  switch (kind) {
    case "no-credentials":
      return { kind: "none", text: `there are no AWS credentials (${code}); ${remedy}` };
    case "credentials-not-accepted":
      return { kind: "none", text: `AWS does not accept the credentials (${code}); ${remedy}` };
    case "denied":
      return { kind: "none", text: `${whenDenied} (${code})` };
    case "throttled":
    case "away":
      return { kind: "none", text: `${service} does not answer (${code})`, passing: true };
  }
}

/** Answers the domain that a region's endpoints are under. @see https://docs.aws.amazon.com/whitepapers/latest/aws-fault-isolation-boundaries/partitions.html */
export function domainOf(region: string): string {
  const [, domain] = domains.find(([prefix]) => region.startsWith(prefix)) ?? [];
  return domain ?? "amazonaws.com";
}

const domains = [
  ["cn-", "amazonaws.com.cn"],
  ["us-iso-", "c2s.ic.gov"],
  ["us-isob-", "sc2s.sgov.gov"],
  ["us-isof-", "csp.hci.ic.gov"],
  ["eu-isoe-", "cloud.adc-e.uk"],
] as const;

/** Errors of the connection are named by their code. */
function codeOf(error: Error): string {
  if (error.name !== "Error") return error.name;
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}

import { PermanentError, TransientError } from "#ports/errors";

/** The class of an error of AWS. Errors of one kind have the same remedy. */
export interface AwsError {
  readonly kind:
    | "no-region"
    | "no-credentials"
    | "expired-credentials"
    /**
     * `AWS_PROFILE` names an unknown profile. The error's message names the profile and the files.
     */
    | "no-profile"
    /** The credentials are revoked or mistyped, or the caller's clock is wrong. */
    | "credentials-not-accepted"
    | "denied"
    | "throttled"
    /** No service answered. */
    | "unreachable"
    /** A service answered with another error, known or unknown. A retry may help. */
    | "failed";
  /** The error's name. The message may quote the request, so it is never shown. */
  readonly code: string;
}

const noneFound = new Set(["CredentialsProviderError", "TokenProviderError"]);
const expired = new Set(["ExpiredToken", "ExpiredTokenException"]);
const notAccepted = new Set([
  "UnrecognizedClientException",
  "InvalidClientTokenId",
  "InvalidSignatureException",
  "SignatureDoesNotMatch",
  "AuthFailure",
  "RequestExpired",
]);
const denied = new Set([
  "AccessDenied",
  "AccessDeniedException",
  "UnauthorizedOperation",
  "AuthorizationErrorException",
]);
const throttled = /^(?:Throttl|TooManyRequests|RequestLimitExceeded|RequestThrottled|SlowDown)/;

/**
 * The pause after a throttled request. AWS states no time, and its own clients wait up to this
 * long.
 */
export const throttledForMs = 20_000;

/**
 * Classifies an error of the SDK.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/APIReference/CommonErrors.html
 */
export function awsErrorOf(error: unknown): AwsError {
  if (!(error instanceof Error)) return { kind: "failed", code: "unknown error" };
  const code = codeOf(error);
  if (code === "UnknownProfile") return { kind: "no-profile", code };
  if (/region is missing/i.test(error.message)) return { kind: "no-region", code };
  const isLocal = noneFound.has(code);
  if (expired.has(code) || (isLocal && /expired|sso login/i.test(error.message)))
    return { kind: "expired-credentials", code };
  if (isLocal) return { kind: "no-credentials", code };
  if (notAccepted.has(code)) return { kind: "credentials-not-accepted", code };
  if (denied.has(code)) return { kind: "denied", code };
  if (throttled.test(code)) return { kind: "throttled", code };
  return { kind: isAnswer(error) ? "failed" : "unreachable", code };
}

/** A failed request: its reason as text, and whether a retry may help. */
export interface NoAnswer {
  readonly kind: "none";
  readonly text: string;
  readonly isTransient?: true;
}

/**
 * Returns the text for an error of the SDK, with its remedy.
 *
 * @param service - the service, as the subject of the sentence.
 * @param whenDenied - the text for denied access, with the right that is missing.
 */
export function noAnswer(error: unknown, service: string, whenDenied: string): NoAnswer {
  const { kind, code } = awsErrorOf(error);
  const remedy = "log in to AWS again: aws sts get-caller-identity must answer";
  switch (kind) {
    case "no-region":
      return { kind: "none", text: `no AWS region is set (${code}): set AWS_REGION` };
    case "no-profile":
      return { kind: "none", text: `${messageOf(error)}; aws configure list-profiles lists the profiles` };
    case "no-credentials":
      return { kind: "none", text: `no AWS credentials were found (${code}); ${remedy}` };
    case "expired-credentials":
    case "credentials-not-accepted":
      return { kind: "none", text: `AWS does not accept the credentials (${code}); ${remedy}` };
    case "denied":
      return { kind: "none", text: `${whenDenied} (${code})` };
    case "throttled":
    case "unreachable":
    case "failed":
      return { kind: "none", text: `${service} does not answer (${code})`, isTransient: true };
  }
}

/**
 * A failed request of a user's command. The kind `failed` includes throttled requests and error
 * answers of a proxy.
 */
export interface AwsRefusal {
  readonly kind: Exclude<AwsError["kind"], "throttled">;
  /**
   * The message of AWS or its client in one line, only for the user of the command. The text of
   * `failed` begins with the HTTP status.
   */
  readonly detail: string;
  /** True if the service's host has no DNS name: the region has no such service. */
  readonly isUnknownHost?: true;
}

/** Describes why a call to AWS failed, for the user who made it. */
export function awsRefusal(error: unknown): AwsRefusal {
  const { kind, code } = awsErrorOf(error);
  const message = messageOf(error);
  if (kind === "throttled" || kind === "failed") {
    const status = httpStatusOf(error);
    const named = [...(status === undefined ? [] : [`HTTP ${status}`]), code].join(", ");
    return { kind: "failed", detail: message === "" || message === code ? named : `${named}: ${message}` };
  }
  const unknown = code === "ENOTFOUND" ? { isUnknownHost: true as const } : {};
  return { kind, detail: message === "" ? code : message, ...unknown };
}

function messageOf(error: unknown): string {
  const [firstLine = ""] = error instanceof Error ? error.message.split("\n") : [];
  return firstLine;
}

/**
 * Runs a call for a user's command and closes its client. Never rejects: errors become a refusal.
 */
export async function callOnce<Answer>(
  client: { destroy(): void },
  call: () => Promise<Answer>,
): Promise<Answer | AwsRefusal> {
  try {
    return await call();
  } catch (error) {
    return awsRefusal(error);
  } finally {
    client.destroy();
  }
}

/** A call that a function makes to AWS. */
export interface AwsCall {
  /** The name of the service, such as `SQS`. */
  readonly service: string;
  /** The action and its object, such as `sending 3 messages to lookout-wake`. */
  readonly doing: string;
  /**
   * The names of errors that no retry can fix. The set has no errors for denied access and missing
   * objects, because a retry succeeds after a user fixes the cause.
   */
  readonly permanent: ReadonlySet<string>;
}

/**
 * Turns an error into a port error, with the error as its cause. Unknown errors are transient, and
 * port errors stay as they are.
 */
export function portErrorOf(error: unknown, { service, doing, permanent }: AwsCall): TransientError | PermanentError {
  if (error instanceof TransientError || error instanceof PermanentError) return error;
  // A cancelled transaction also names the reason of each part.
  const names = error instanceof Error ? [error.name, ...cancellationsOf(error)] : ["unknown error"];
  const message = `${service} failed while ${doing} (${names.join(", ")})`;
  return names.some((name) => permanent.has(name))
    ? new PermanentError(`${message}; AWS rejects the request, and a retry can't help`, { cause: error })
    : new TransientError(message, { cause: error });
}

/** Runs a call of a function, and converts its errors with {@link portErrorOf}. */
export async function withPortErrors<Answer>(about: AwsCall, call: () => Promise<Answer>): Promise<Answer> {
  try {
    return await call();
  } catch (error) {
    throw portErrorOf(error, about);
  }
}

/**
 * Returns the reason codes of a cancelled transaction, one for each part. A part without a fault
 * has the code `None`. Other errors have no codes.
 */
export function cancellationsOf(error: unknown): readonly string[] {
  if (!(error instanceof Error && "CancellationReasons" in error && Array.isArray(error.CancellationReasons)))
    return [];
  const reasons = error.CancellationReasons as readonly { readonly Code?: string }[];
  return reasons.map(({ Code: code = "None" }) => code);
}

/** Returns the name of an error. A connection error has a code instead of a name. */
function codeOf(error: Error): string {
  if (error.name !== "Error") return error.name;
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}

/**
 * Returns whether a service answered. An unreadable answer has no `$fault`, only an HTTP status.
 */
function isAnswer(error: Error): boolean {
  return ("$fault" in error && error.$fault !== undefined) || httpStatusOf(error) !== undefined;
}

function httpStatusOf(error: unknown): number | undefined {
  return (error as { readonly $metadata?: { readonly httpStatusCode?: number } } | undefined)?.$metadata
    ?.httpStatusCode;
}

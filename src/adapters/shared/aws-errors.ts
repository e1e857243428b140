import { PermanentError, TransientError } from "#ports/errors";

/** What went wrong with a request to AWS, by what can be done about it. */
export type AwsError = {
  /** The SDK's or the service's name of it; never its message, which may quote what was sent. */
  readonly code: string;
} & (
  | { readonly kind: "no-region" | "no-credentials" | "expired-credentials" }
  /** `AWS_PROFILE` names one that is not there; the error's message says which, and where it was looked for. */
  | { readonly kind: "no-profile" }
  /** Revoked or mistyped, or the request is signed for another time: the clock of who asks is off. */
  | { readonly kind: "credentials-not-accepted" }
  | { readonly kind: "denied" }
  | { readonly kind: "throttled"; readonly retryAfterMs: number }
  /** No service answered. */
  | { readonly kind: "unreachable" }
  /** A service answered with an error of its own; unknown ones count here. It may be better the next time. */
  | { readonly kind: "failed" }
);

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

/** AWS does not say when to come back; its own clients wait up to twenty seconds. */
const throttledForMs = 20_000;

/**
 * Says what an error of the SDK means.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/APIReference/CommonErrors.html
 */
export function awsErrorOf(error: unknown): AwsError {
  if (!(error instanceof Error)) return { kind: "failed", code: "unknown error" };
  const code = codeOf(error);
  if (code === "UnknownProfile") return { kind: "no-profile", code };
  if (/region is missing/i.test(error.message)) return { kind: "no-region", code };
  const atHome = noneFound.has(code);
  if (expired.has(code) || (atHome && /expired|sso login/i.test(error.message)))
    return { kind: "expired-credentials", code };
  if (atHome) return { kind: "no-credentials", code };
  if (notAccepted.has(code)) return { kind: "credentials-not-accepted", code };
  if (denied.has(code)) return { kind: "denied", code };
  if (throttled.test(code)) return { kind: "throttled", code, retryAfterMs: throttledForMs };
  return { kind: isAnswer(error) ? "failed" : "unreachable", code };
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
  const { kind, code } = awsErrorOf(error);
  const remedy = "log in to AWS again: aws sts get-caller-identity must answer";
  switch (kind) {
    case "no-region":
      return { kind: "none", text: `no region is known (${code}): set AWS_REGION` };
    case "no-profile":
      return { kind: "none", text: `${messageOf(error)}; aws configure list-profiles shows those that are there` };
    case "no-credentials":
      return { kind: "none", text: `there are no AWS credentials (${code}); ${remedy}` };
    case "expired-credentials":
    case "credentials-not-accepted":
      return { kind: "none", text: `AWS does not accept the credentials (${code}); ${remedy}` };
    case "denied":
      return { kind: "none", text: `${whenDenied} (${code})` };
    case "throttled":
    case "unreachable":
    case "failed":
      return { kind: "none", text: `${service} does not answer (${code})`, passing: true };
  }
}

/** Why a service of AWS did not answer the person who asked. */
export interface AwsRefusal {
  readonly kind:
    | "no-region"
    | "no-profile"
    | "no-credentials"
    | "expired-credentials"
    | "credentials-not-accepted"
    | "denied"
    | "unreachable"
    /** It was answered with an error that says nothing of the caller, or by something that is no service of AWS: a proxy. */
    | "failed";
  /** What AWS or its client said, in one line; for that person alone. Of what failed, the HTTP status first. */
  readonly detail: string;
}

/** Reads why a call to AWS failed. */
export function awsRefusal(error: unknown): AwsRefusal {
  const { kind, code } = awsErrorOf(error);
  const said = messageOf(error);
  if (kind === "throttled" || kind === "failed") {
    const status = httpStatusOf(error);
    const named = [...(status === undefined ? [] : [`HTTP ${status}`]), code].join(", ");
    return { kind: "failed", detail: said === "" || said === code ? named : `${named}: ${said}` };
  }
  return { kind, detail: said === "" ? code : said };
}

/** What an error says, in one line. */
function messageOf(error: unknown): string {
  const [said = ""] = error instanceof Error ? error.message.split("\n") : [];
  return said;
}

/** Runs a call for a person; what it throws is answered. */
export async function refusalOr<Answer>(call: () => Promise<Answer>): Promise<Answer | AwsRefusal> {
  try {
    return await call();
  } catch (error) {
    return awsRefusal(error);
  }
}

/** A call of a function, and what about it does not get better. */
export interface Doing {
  /** Who is asked: `SQS`. */
  readonly service: string;
  /** What is tried with which object: `sending 3 messages to lookout-wake`. */
  readonly doing: string;
  /** Names of errors of requests, or of parts of them, that stay wrong however often they are sent. Denied access and what is missing are none: a person mends those. */
  readonly hopeless: ReadonlySet<string>;
}

/**
 * Says what an error means for whoever asked; the error itself is kept as the cause. What is unknown is transient, and what is of the port
 * already stays as it is.
 */
export function portErrorOf(error: unknown, { service, doing, hopeless }: Doing): TransientError | PermanentError {
  if (error instanceof TransientError || error instanceof PermanentError) return error;
  const names = namesOf(error);
  const message = `${service} failed while ${doing} (${names.join(", ")})`;
  return names.some((name) => hopeless.has(name))
    ? new PermanentError(`${message}; the request is refused as it is`, { cause: error })
    : new TransientError(message, { cause: error });
}

/** Runs a call of a function, and throws what {@link portErrorOf} makes of its error. */
export async function asking<Answer>(doing: Doing, call: () => Promise<Answer>): Promise<Answer> {
  try {
    return await call();
  } catch (error) {
    throw portErrorOf(error, doing);
  }
}

/** The name of an error; of a transaction that was cancelled also why, part by part. */
function namesOf(error: unknown): readonly string[] {
  return error instanceof Error ? [error.name, ...cancellationsOf(error)] : ["unknown error"];
}

/** Answers why the parts of a transaction were cancelled, as codes: `None` for a part that was not at fault. Empty for other errors. */
export function cancellationsOf(error: unknown): readonly string[] {
  if (!(error instanceof Error && "CancellationReasons" in error && Array.isArray(error.CancellationReasons)))
    return [];
  const reasons = error.CancellationReasons as readonly { readonly Code?: string }[];
  return reasons.map(({ Code: code = "None" }) => code);
}

/** Errors of the connection are named by their code. */
function codeOf(error: Error): string {
  if (error.name !== "Error") return error.name;
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}

/** What can't be read has no fault, but the status that it came with. */
function isAnswer(error: Error): boolean {
  return ("$fault" in error && error.$fault !== undefined) || httpStatusOf(error) !== undefined;
}

function httpStatusOf(error: unknown): number | undefined {
  return (error as { readonly $metadata?: { readonly httpStatusCode?: number } } | undefined)?.$metadata
    ?.httpStatusCode;
}

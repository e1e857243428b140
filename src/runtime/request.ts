import type { publishPushes } from "#app/detect/publish-pushes";
import type { Ports } from "#app/shared/ports";
import type { ProblemMembers, ProblemView } from "#contracts/api/schema";
import { problemOf, problemType } from "#contracts/problem";
import type { RefusalCode } from "#contracts/refusals";
import type { Access } from "#domain/access/access";
import type { Credential } from "#domain/approval/people";
import { type NotificationRefusal, notificationRefusals } from "#domain/shared/refusals";
import { shortened } from "#domain/shared/shown-text";
import { NewerRecordError, PermanentError } from "#ports/errors";
import type { PushReceiver, ReceiveOutcome, ReceivedRequest } from "#ports/push-receiver";
import type { Intake, Invocation, Log, RequestFunction } from "./handler.ts";

/** The size limit of a request. Registries send a few hundred kilobytes at most. */
export const maximumBodyBytes = 1_048_576;

/** Returns a response with a JSON body. */
export function json(status: number, body: unknown): Response {
  const text = JSON.stringify(body);
  const length = String(Buffer.byteLength(text));
  return new Response(text, { status, headers: { "content-type": "application/json", "content-length": length } });
}

/** Returns the response to a refused request: a problem, with the status of its code. */
export function problemResponse(code: RefusalCode, detail: string, members?: ProblemMembers): Response {
  const problem = problemOf(code, detail, members);
  return Response.json(problem, { status: problem.status, headers: { "content-type": problemType } });
}

/** The header with the caller's proved identity. Callers can't set it. */
export const callerHeader = "x-lookout-caller";

/** Returns the caller's proved identity, else the claimed identity. */
export function callerOf(request: Request, { token }: Access, claimed: string): string {
  return token?.name ?? request.headers.get(callerHeader) ?? claimed;
}

/**
 * The header with a person's token, for a local Lookout. The header `authorization` has the API's
 * token.
 */
export const personHeader = "x-lookout-person";

/**
 * Returns the credential of a request. If IAM or a personal token has proved an identity, the
 * function ignores a person's token.
 */
export function credentialOf({ headers }: Request, { token: own }: Access): Credential {
  if (own !== undefined) return { kind: "personal-token", name: own.name, id: own.id, hash: `sha256:${own.hash}` };
  const arn = headers.get(callerHeader);
  if (arn !== null) return { kind: "iam", arn };
  const token = headers.get(personHeader);
  return token === null || token === "" ? { kind: "none" } : { kind: "token", token };
}

/** Returns the response for an error, without details. The log has the details. */
export function failedAnswer(error: unknown): Response {
  if (error instanceof PermanentError) return problemResponse("needs-a-person", error.message);
  if (error instanceof NewerRecordError) return problemResponse("newer-record", error.message);
  return problemResponse("try-again", "the request failed; try again. Lookout's log has the error");
}

/**
 * Returns the function that registries notify: `/webhooks/<receiver>`.
 *
 * | answer | when |
 * |---|---|
 * | 200 | a sender's validation request; the answer has the sender's form |
 * | 202 | pushes, ignored notifications, and malformed notifications of a sender that retries a 4xx without end |
 * | 400 | the notification is malformed, or its connection ended before its body |
 * | 401 | the secret, signature or token is missing or wrong |
 * | 404 | no receiver has the name |
 * | 408 | the body did not arrive in time |
 * | 413 | the body is over 1 MiB; the rest is not read |
 * | 429 | too many notifications arrive at the same time, or too many pushes wait for their evaluation |
 * | 503 | the secret or the keys of tokens are unavailable |
 */
export function onNotification(publish: typeof publishPushes): RequestFunction {
  return async (request, invocation) => {
    const name = new URL(request.url).pathname.split("/").at(-1) ?? "";
    const receiver = await invocation.receivers.receiver(name);
    // A sender can invent any unknown name, so the metrics do not contain the name.
    const countRejection = (
      reason: NotificationRefusal,
      about: { readonly receiver?: string } = { receiver: name },
    ): void => invocation.ports.metrics.add("WebhooksRejected", 1, { reason, ...about });
    if (receiver === undefined) {
      countRejection("unknown-receiver", {});
      return problemResponse("unknown-receiver", `lookout.yaml has no receiver with the name "${name}"`);
    }
    const body = await readNotification(request, invocation.intake);
    if (typeof body === "string") {
      countRejection(body);
      return bodyRefusal(body);
    }
    const received = await receiver.receive(receivedRequest(request, body));
    logReceived(name, receiver, received, invocation.log);
    keepUnused(name, received, invocation.ports);
    const refusal = refusalOf(received);
    if (refusal !== undefined) countRejection(refusal);
    if (received.kind !== "pushes") return answerWithoutPushes(received);
    // This check follows the authentication, so that senders of forged notifications learn nothing
    // and fill no queue.
    if (invocation.intake?.isFull() === true) {
      countRejection("busy");
      const { problem, headers } = busyAnswer("too many pushes wait for their evaluation");
      return Response.json(problem, { status: problem.status, headers });
    }
    if (received.unread !== undefined) countRejection("too-many");
    const published = await publish(received.pushes, receiver.source, invocation.ports);
    return json(202, { ...published, ...unreadOf(received) });
  };
}

function answerWithoutPushes(received: Exclude<ReceiveOutcome, { readonly kind: "pushes" }>): Response {
  switch (received.kind) {
    case "unauthorized":
      return problemResponse("unauthorized", received.reason);
    case "invalid":
      return received.retriedForEver
        ? json(202, { ignored: received.reason })
        : problemResponse(received.refusal ?? "malformed", received.reason);
    case "ignored":
      return json(202, { ignored: received.reason });
    case "handshake":
      return Response.json(received.body ?? null, { headers: received.headers });
  }
}

function receivedRequest({ method, url, headers }: Request, body: Uint8Array): ReceivedRequest {
  // If a parameter is repeated, Lookout uses the first value, as Go does.
  const query = Object.fromEntries([...new URL(url).searchParams].reverse());
  return { method, headers: Object.fromEntries(headers), query, body };
}

/** Returns the reason for metrics and senders; undefined for an accepted notification. */
function refusalOf(received: ReceiveOutcome): "unauthorized" | "malformed" | "no-registry" | undefined {
  if (received.kind === "unauthorized") return "unauthorized";
  return received.kind === "invalid" ? (received.refusal ?? "malformed") : undefined;
}

/** The maximum length of a reason in the log and in the checks. */
const longestReason = 300;

/** Keeps an authenticated notification that changes nothing although it may report a push. */
function keepUnused(receiver: string, received: ReceiveOutcome, { unusedNotifications, clock }: Ports): void {
  const remedy = remedyOf(received);
  if (remedy === undefined || !("reason" in received)) return;
  unusedNotifications?.add({ receiver, reason: shortened(received.reason, longestReason), remedy, at: clock.now() });
}

function remedyOf(received: ReceiveOutcome): string | undefined {
  if (received.kind === "invalid") return notificationRefusals[received.refusal ?? "malformed"].remedy;
  return received.kind === "ignored" && received.mayBeMisconfigured === true
    ? "If workloads use this registry, the owner of lookout.yaml adds the host to registries."
    : undefined;
}

function logReceived(name: string, { secretProblem }: PushReceiver, received: ReceiveOutcome, log: Log): void {
  const id = `webhook ${name}`;
  if (secretProblem !== undefined) log.failure({ id, error: new PermanentError(secretProblem) });
  log.outcome({
    id,
    outcome: {
      kind: received.kind,
      ...("reason" in received ? { reason: shortened(received.reason, longestReason) } : {}),
      ...unreadOf(received),
      // The later log lines about a push contain the same id.
      ...("pushes" in received ? { pushes: received.pushes.map((push) => push.id) } : {}),
    },
  });
}

function unreadOf(received: ReceiveOutcome): { readonly unread?: string } {
  return "unread" in received ? { unread: received.unread } : {};
}

/** The time that Lookout needs to evaluate the waiting pushes. */
const retryAfterSeconds = 5;

/** Returns the problem for a notification that has to come again, and the headers of the answer. */
export function busyAnswer(why: string): {
  readonly problem: ProblemView;
  readonly headers: Readonly<Record<string, string>>;
} {
  const problem = problemOf("busy", `${why}; send the notification again in ${retryAfterSeconds} s`);
  return { problem, headers: { "content-type": problemType, "retry-after": String(retryAfterSeconds) } };
}

const bodyRefusals = {
  "too-large": `a notification may hold ${maximumBodyBytes} bytes`,
  "too-slow": "the body did not arrive in time",
  "broken-off": "the connection ended before the end of the body",
} as const satisfies Readonly<Partial<Record<NotificationRefusal, string>>>;

function bodyRefusal(why: keyof typeof bodyRefusals): Response {
  const response = problemResponse(why, bodyRefusals[why]);
  // The rest of the body is not read.
  response.headers.set("connection", "close");
  return response;
}

/**
 * Returns the body of a notification, or the reason why it is missing. A broken connection does not
 * throw.
 */
async function readNotification(
  request: Request,
  intake: Intake | undefined,
): Promise<Uint8Array | keyof typeof bodyRefusals> {
  let cut = (): void => undefined;
  const isCut = new Promise<"too-slow">((resolve) => {
    cut = () => {
      resolve("too-slow");
    };
  });
  const held = intake?.beginBody(cut);
  const read = readRequestBody(request, maximumBodyBytes, held?.grew).then(
    (body) => body ?? "too-large",
    () => "broken-off" as const,
  );
  try {
    return await Promise.race([read, isCut]);
  } finally {
    held?.end();
  }
}

/** Returns a function that serves requests with the ports and the rights of the caller. */
export function onRequest(
  serve: (request: Request, ports: Ports, signal: AbortSignal, access?: Access) => Promise<Response>,
): RequestFunction {
  return (request: Request, { ports, signal, access }: Invocation) => serve(request, ports, signal, access);
}

/** Returns a body of at most `limit` bytes; undefined for a longer body. */
export async function readRequestBody(
  request: Request,
  limit: number,
  onChunk: (bytes: number) => void = () => undefined,
): Promise<Uint8Array | undefined> {
  if (Number(request.headers.get("content-length") ?? 0) > limit) return undefined;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > limit) return undefined;
    onChunk(chunk.byteLength);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

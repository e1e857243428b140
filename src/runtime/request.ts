import type { receivePushes } from "#app/detect/receive-pushes";
import type { Ports } from "#app/shared/ports";
import type { ErrorView } from "#contracts/api/schema";
import { NewerRecordError, PermanentError } from "#ports/errors";
import type { PushReceiver, Received, ReceivedRequest } from "#ports/push-receiver";
import type { Invocation, Log, RequestFunction } from "./handler.ts";

/** The size limit of a request. Registries send a few hundred kilobytes at most. */
export const maximumBodyBytes = 1_048_576;

/** Returns a response with JSON. */
export function json(status: number, body: unknown): Response {
  return Response.json(body, { status });
}

/** Returns an error in the form of the API. */
export function refuse(status: number, code: string, message: string): Response {
  return json(status, { error: { code, message } } satisfies ErrorView);
}

/** The header with the caller's proved identity. Callers can't set it. */
export const callerHeader = "x-lookout-caller";

/** Returns the caller's proved identity, else the claimed one. */
export function callerOf(request: Request, claimed: string): string {
  return request.headers.get(callerHeader) ?? claimed;
}

/** Returns the response for an error; the log has the details. */
export function failedAnswer(error: unknown): Response {
  if (error instanceof PermanentError) return refuse(400, "refused", error.message);
  if (error instanceof NewerRecordError) return refuse(503, "newer-record", error.message);
  return refuse(503, "try-again", "the request failed; try again. The log says why");
}

/**
 * Makes the function that registries notify: `/webhooks/<receiver>`.
 *
 * | answer | when |
 * |---|---|
 * | 200 | a sender that asks whether it may send, in its own form |
 * | 202 | pushes, anything to be ignored, and what is unusable from a registry that repeats a 4xx for ever |
 * | 400 | malformed |
 * | 401 | not signed, or wrongly |
 * | 404 | no receiver of that name |
 * | 413 | over one mebibyte, told before more is read |
 */
export function onNotification(publish: typeof receivePushes): RequestFunction {
  return async (request, invocation) => {
    const name = new URL(request.url).pathname.split("/").at(-1) ?? "";
    const receiver = await invocation.receivers.receiver(name);
    // An unknown name is arbitrary input, so it is not stored.
    const reject = (reason: string, about: { readonly receiver?: string } = { receiver: name }): void =>
      invocation.ports.metrics.add("WebhooksRejected", 1, { reason, ...about });
    if (receiver === undefined) {
      reject("unknown-receiver", {});
      return refuse(404, "unknown-receiver", `no receiver is called "${name}"; receivers are listed in lookout.yaml`);
    }
    const body = await readBody(request, maximumBodyBytes);
    if (body === undefined) {
      reject("too-large");
      return refuse(413, "too-large", `a notification may hold ${maximumBodyBytes} bytes`);
    }
    const received = await receiver.receive(receivedRequest(request, body));
    logReceived(name, receiver, received, invocation.log);
    if (received.kind === "unauthorized" || received.kind === "invalid") reject(received.kind);
    switch (received.kind) {
      case "unauthorized":
        return refuse(401, "unauthorized", received.reason);
      case "invalid":
        return received.retriedForEver
          ? json(202, { ignored: received.reason })
          : refuse(400, "malformed", received.reason);
      case "ignored":
        return json(202, { ignored: received.reason });
      case "handshake":
        return Response.json(received.body ?? null, { headers: received.headers });
      case "pushes": {
        const { pushes, refused } = received;
        if (refused !== undefined) reject("too-many");
        const published = await publish(pushes, receiver.source, invocation.ports);
        return json(202, { ...published, ...(refused === undefined ? {} : { refused }) });
      }
    }
  };
}

function receivedRequest({ method, url, headers }: Request, body: Uint8Array): ReceivedRequest {
  // The first value of a repeated header counts, as in Go.
  const query = Object.fromEntries([...new URL(url).searchParams].reverse());
  return { method, headers: Object.fromEntries(headers), query, body };
}

function logReceived(name: string, { secretProblem }: PushReceiver, received: Received, log: Log): void {
  const id = `webhook ${name}`;
  if (secretProblem !== undefined) log.failure({ id, error: new PermanentError(secretProblem) });
  log.outcome({
    id,
    outcome: {
      kind: received.kind,
      ...("reason" in received ? { reason: received.reason } : {}),
      ...("refused" in received ? { refused: received.refused } : {}),
      // The log lines of each push have its id.
      ...("pushes" in received ? { pushes: received.pushes.map((push) => push.id) } : {}),
    },
  });
}

/** Returns a function that serves requests with the ports alone. */
export function onRequest(
  serve: (request: Request, ports: Ports, signal: AbortSignal) => Promise<Response>,
): RequestFunction {
  return (request: Request, { ports, signal }: Invocation) => serve(request, ports, signal);
}

/** Returns a body of at most `limit` bytes; undefined when it is longer. */
export async function readBody(request: Request, limit: number): Promise<Uint8Array | undefined> {
  if (Number(request.headers.get("content-length") ?? 0) > limit) return undefined;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > limit) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

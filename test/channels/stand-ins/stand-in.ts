import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { epochMs, type EpochMs } from "#domain/shared/time";
import type { Clock } from "#ports/clock";

/** A request as it arrived. */
export interface Arrived {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly at: EpochMs;
}

/** A request and its answer. */
export interface Received extends Arrived {
  readonly answered: number | LostReply;
  /** Why the real service refuses the request; absent if it takes the request. */
  readonly refused?: string;
  /** Faults that the real service accepts in silence. */
  readonly warnings: readonly string[];
}

/**
 * `cut` closes the connection, `hang` never answers, `slow` sends a byte of the body now and then,
 * and `endless` sends a body of 1 GiB.
 */
export type LostReply = "cut" | "hang" | "slow" | "endless";

export type Reply =
  { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string } | LostReply;

/** What a stand-in does with a request. */
export interface Outcome {
  readonly reply: Reply;
  readonly refused?: string;
  readonly warnings?: readonly string[];
}

/** An answer instead of the true one. Unless it is `taken`, the request has no effect. */
export type ScriptedAnswer = Reply | { readonly taken: Reply };

/** The request has its effect, and its sender gets this answer: an edit that is shown, and a cut connection. */
export const taken = (reply: Reply): ScriptedAnswer => ({ taken: reply });

/** `retryAfter` is in seconds, or any text that a faulty service sends. */
export const tooMany = (retryAfter?: number | string, body = ""): Reply => ({
  status: 429,
  headers: retryAfter === undefined ? {} : { "retry-after": String(retryAfter) },
  body,
});

export interface StandInOptions {
  /** The time of the stand-in; by default the machine's. */
  readonly clock?: Clock;
  /** Serves HTTPS, as with `ownAuthority()`; without it HTTP. */
  readonly tls?: { readonly key: string; readonly cert: string };
}

/** A server on 127.0.0.1 in the place of a real service. */
export interface StandIn extends AsyncDisposable {
  /** Without a path: `https://127.0.0.1:PORT`. */
  readonly url: string;
  readonly received: readonly Received[];
  /** The warnings of all requests. */
  readonly warnings: readonly string[];
  /** Answers the next requests, one each; then each request gets its true answer again. */
  readonly answerNext: (...answers: readonly ScriptedAnswer[]) => void;
}

/** Starts a stand-in. `handle` has the effect of a request, and gives its true answer. */
export async function standIn(
  { clock = { now: () => epochMs(Date.now()) }, tls }: StandInOptions,
  handle: (request: Arrived) => Outcome,
): Promise<StandIn> {
  const received: Received[] = [];
  const next: ScriptedAnswer[] = [];
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const arrived = await read(request, clock);
    const script = next.shift();
    const outcome =
      typeof arrived === "string" ? notText(arrived) : answerTo(arrived, script, (one) => answerOrFail(one, handle));
    if (typeof arrived !== "string") {
      const { reply, refused, warnings = [] } = outcome;
      const answered = typeof reply === "string" ? reply : reply.status;
      received.push({ ...arrived, answered, ...(refused === undefined ? {} : { refused }), warnings });
    }
    await send(outcome.reply, response);
  };
  // A sender that closes the connection early is no fault of the stand-in.
  const listener: RequestListener = (request, response) => void take(request, response).catch(() => response.destroy());
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `${tls === undefined ? "http" : "https"}://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    received,
    get warnings() {
      return received.flatMap(({ warnings }) => warnings);
    },
    answerNext: (...answers) => void next.push(...answers),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Allows `count` requests of each key within any `windowMs`. Returns the seconds to wait beyond that. */
export function rateLimit(count: number, windowMs: number): (key: string, now: EpochMs) => number | undefined {
  const allowed = new Map<string, EpochMs[]>();
  return (key, now) => {
    const recent = (allowed.get(key) ?? []).filter((at) => now - at < windowMs);
    allowed.set(key, recent);
    const [first] = recent;
    if (first !== undefined && recent.length >= count) return Math.max(1, Math.ceil((first + windowMs - now) / 1_000));
    recent.push(now);
    return undefined;
  };
}

function answerTo(
  request: Arrived,
  script: ScriptedAnswer | undefined,
  handle: (request: Arrived) => Outcome,
): Outcome {
  if (script === undefined) return handle(request);
  if (typeof script === "object" && "taken" in script) return { ...handle(request), reply: script.taken };
  return { reply: script };
}

/** Tells of a fault of the stand-in itself, which must not look like a lost connection. */
function answerOrFail(request: Arrived, handle: (request: Arrived) => Outcome): Outcome {
  try {
    return handle(request);
  } catch (error) {
    return { reply: { status: 500 }, refused: `the stand-in failed: ${String(error)}` };
  }
}

const notText = (why: string): Outcome => ({ reply: { status: 400, body: why } });

/** Returns the request, or why its body is no text. */
async function read(request: IncomingMessage, clock: Clock): Promise<Arrived | string> {
  const bytes = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>));
  const body = bytes.toString("utf8");
  if (!Buffer.from(body, "utf8").equals(bytes)) return "the body is not UTF-8";
  return {
    method: request.method ?? "",
    path: request.url ?? "",
    headers: Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)])),
    body,
    at: clock.now(),
  };
}

async function send(reply: Reply, response: ServerResponse): Promise<void> {
  if (reply === "hang") return;
  if (reply === "cut") return void response.destroy();
  if (reply === "slow") return pipeline(Readable.from(trickle(response)), response.writeHead(200));
  if (reply === "endless") return pipeline(Readable.from(gibibyte()), response.writeHead(200));
  response.writeHead(reply.status, reply.headers).end(reply.body);
}

async function* trickle(response: ServerResponse): AsyncGenerator<string> {
  while (!response.closed) {
    yield " ";
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function* gibibyte(): Generator<Buffer> {
  const mebibyte = Buffer.alloc(1_024 * 1_024, " ");
  for (let sent = 0; sent < 1_024; sent += 1) yield mebibyte;
}

import type { ProblemView } from "#contracts/api/schema";
import { readEcrEvent } from "#adapters/webhook/ecr";
import { parseJson, withoutRepeats } from "#adapters/webhook/notice";
import { type Reading, allPushes } from "#adapters/webhook/reading";
import type { ReceiverKind } from "#contracts/config/receiver-kinds";
import { generatedBytes, HttpEventSchema, type WebhookLine } from "#contracts/batch/webhook-line";
import type { Handshake, PushNotice, PushReceivers, ReceiveOutcome } from "#ports/push-receiver";
import type { Invocation } from "./handler.ts";
import { answerTo, type HttpEvent } from "./lambda/http-event.ts";
import { onNotification } from "./request.ts";
import { kindNamed, noRegistry, trialReceiver } from "./trial-receiver.ts";

interface Trial {
  readonly outcome: "push" | "ignored" | "invalid" | "unauthorized" | "handshake";
  /** The HTTP status of the response. */
  readonly status: number;
  /**
   * The pushes, without repeats. `registry` is absent if neither the notification nor the fixture
   * names one.
   */
  readonly pushes: readonly (Omit<PushNotice, "registry"> & { readonly registry?: string })[];
  readonly handshake?: Handshake;
  readonly reason?: string;
}

/**
 * Handles a notification with the webhook function and the receiver of the line. No other function
 * runs.
 *
 * `EVENT` is an EventBridge event or a batch of events, for the deployed rule's pattern and
 * transform. `LAMBDA` is an event of an HTTP API.
 */
export async function tryNotification(line: WebhookLine): Promise<Trial> {
  const kind = kindNamed(line.receiver);
  if (line.request.method === "EVENT" && kind === "ecr") return tryEvents(line);
  const received: ReceiveOutcome[] = [];
  const receivers = await keeping(received, kind, line);
  let response: Response | undefined;
  for (let sent = 0; sent < (line.repeat ?? 1); sent += 1) response = await send(line, receivers);
  const [first] = received;
  const status = response?.status ?? 400;
  if (first === undefined) return { outcome: "invalid", status, pushes: [], reason: await whyNot(response) };
  return trialOf(first, status, received);
}

/** Returns a receiver of any name that records its results. */
async function keeping(
  received: ReceiveOutcome[],
  kind: ReceiverKind | undefined,
  { fixture = {} }: WebhookLine,
): Promise<PushReceivers> {
  const receiver = kind === undefined ? undefined : await trialReceiver(kind, fixture);
  const kept = receiver && {
    ...receiver,
    async receive(request: Parameters<typeof receiver.receive>[0]) {
      const one = await receiver.receive(request);
      received.push(one);
      return one;
    },
  };
  return { receiver: () => Promise.resolve(kept) };
}

const notified = onNotification((pushes) => Promise.resolve({ pushes: pushes.length }));

/**
 * Returns the response; undefined for a request with an invalid header, which no server would
 * accept.
 */
async function send(
  { request, receiver: named }: WebhookLine,
  receivers: PushReceivers,
): Promise<Response | undefined> {
  const run = (one: Request): Promise<Response> => notified(one, invocationWith(receivers));
  try {
    if (request.method === "LAMBDA")
      return await answerTo(HttpEventSchema.parse(request.body) as unknown as HttpEvent, run);
    const { method, headers, path_hint: path = `/webhooks/${encodeURIComponent(named)}` } = request;
    const body = method === "GET" || method === "HEAD" ? null : bodyOf(request);
    return await run(new Request(new URL(path, "http://localhost"), { method, headers, body }));
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/**
 * Returns an invocation with only the receivers and the metrics, because the webhook function uses
 * no other port.
 */
function invocationWith(receivers: PushReceivers): Invocation {
  return {
    ports: { metrics: { add: () => undefined } } as unknown as Invocation["ports"],
    receivers,
    setAside: { deadLetter: () => Promise.resolve(), keep: () => Promise.resolve() },
    log: { outcome: () => undefined, failure: () => undefined },
    signal: new AbortController().signal,
  };
}

function bodyOf({ body, body_generator: generator }: WebhookLine["request"]): Buffer | null {
  if (generator !== undefined) return generatedBytes(generator);
  if (body === undefined || body === null) return null;
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
}

function tryEvents({ request, fixture }: WebhookLine): Trial {
  const events = eventsIn(parseJson(bodyOf(request) ?? Buffer.alloc(0)));
  const reading = allPushes(
    events.map((event) => readEcrEvent(event, fixture?.allowed_accounts)),
    "Records",
    {},
  );
  const received = asReceived(reading);
  return trialOf(received, received.kind === "invalid" ? 400 : 202, [received]);
}

/** Returns the events of a queue's batch, or the single event. */
function eventsIn(body: unknown): readonly unknown[] {
  const records = memberOf(body, "Records");
  if (!Array.isArray(records)) return [body];
  return records.map((record: unknown) => {
    const text = memberOf(record, "body");
    return typeof text === "string" ? parseJson(Buffer.from(text)) : undefined;
  });
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

function asReceived(reading: Reading): ReceiveOutcome {
  return reading.kind === "invalid" ? { ...reading, kind: "invalid", retriedForEver: false } : reading;
}

function trialOf(first: ReceiveOutcome, status: number, received: readonly ReceiveOutcome[]): Trial {
  if (first.kind === "handshake") return { outcome: "handshake", status, pushes: [], handshake: first };
  if (first.kind !== "pushes") return { outcome: first.kind, status, pushes: [], reason: first.reason };
  const pushes = withoutRepeats(received.flatMap((one) => (one.kind === "pushes" ? one.pushes : [])));
  const isOpen = pushes.some(({ registry }) => registry === noRegistry);
  return {
    outcome: "push",
    status,
    pushes: pushes.map(withoutNoRegistry),
    ...(isOpen ? { reason: openRegistry } : {}),
  };
}

const openRegistry = "the event names no host, so its push counts only for a receiver with registry in lookout.yaml";

function withoutNoRegistry({ registry, ...push }: PushNotice): Trial["pushes"][number] {
  return registry === noRegistry ? push : { ...push, registry };
}

async function whyNot(response: Response | undefined): Promise<string> {
  if (response === undefined) return "no server would accept this request";
  return ((await response.json()) as ProblemView).detail;
}

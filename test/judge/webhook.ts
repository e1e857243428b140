import { readEcrEvent } from "#adapters/webhook/ecr";
import { parseJson } from "#adapters/webhook/notice";
import { allPushes } from "#adapters/webhook/reading";
import { webhookAnswer } from "#cli/answers/webhook";
import { isObject } from "#domain/shared/json";
import { answerTo, type HttpEvent } from "#runtime/lambda/http-event";
import { trialOf, tryRequests, type WebhookTrial } from "#runtime/webhook-trial";
import { badLineRefusal, judge, type LineAnswer, readLine } from "./lines.ts";
import { generatedBytes, HttpEventSchema, type WebhookLine, WebhookLineSchema } from "./webhook-line.ts";
import { fixtureReceiver, kindNamed } from "./webhook-receiver.ts";

/** Answers `{"receiver":"…","request":{…}}` with the pushes of the notification. */
export async function answerWebhookLine(line: string): Promise<LineAnswer> {
  const read = readLine(WebhookLineSchema, line);
  return read.ok ? webhookAnswer(await tryLine(read.value)) : badLineRefusal(read.problem);
}

/**
 * Handles a notification with the webhook function and the receiver of the line.
 *
 * `EVENT` is an EventBridge event or a batch of events, for the deployed rule's pattern and
 * transform. `LAMBDA` is an event of an HTTP API.
 */
async function tryLine(line: WebhookLine): Promise<WebhookTrial> {
  const { receiver: named, fixture = {}, request, repeat = 1 } = line;
  const kind = kindNamed(named);
  if (request.method === "EVENT" && kind === "ecr") return tryEvents(line);
  const receiver = kind === undefined ? undefined : await fixtureReceiver(kind, fixture);
  return tryRequests(receiver, async (run) => {
    for (let sent = 1; sent < repeat; sent += 1) await send(line, run);
    return send(line, run);
  });
}

function send(
  { request, receiver: named }: WebhookLine,
  run: (request: Request) => Promise<Response>,
): Promise<Response> {
  if (request.method === "LAMBDA") return answerTo(HttpEventSchema.parse(request.body) as unknown as HttpEvent, run);
  const { method, headers, path_hint: path = `/webhooks/${encodeURIComponent(named)}` } = request;
  const body = method === "GET" || method === "HEAD" ? null : bodyOf(request);
  return run(new Request(new URL(path, "http://localhost"), { method, headers, body }));
}

function bodyOf({ body, body_generator: generator }: WebhookLine["request"]): Buffer | null {
  if (generator !== undefined) return generatedBytes(generator);
  if (body === undefined || body === null) return null;
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
}

function tryEvents({ request, fixture }: WebhookLine): WebhookTrial {
  const events = eventsIn(parseJson(bodyOf(request) ?? Buffer.alloc(0)));
  const readings = events.map((event) => readEcrEvent(event, fixture?.allowed_accounts));
  const reading = allPushes(readings, "Records", {});
  return reading.kind === "invalid"
    ? trialOf(400, { ...reading, kind: "invalid", retriedForEver: false })
    : trialOf(202, reading);
}

/** Returns the events of a queue's batch, or the single event. */
function eventsIn(body: unknown): readonly unknown[] {
  const records = isObject(body) ? body["Records"] : undefined;
  if (!Array.isArray(records)) return [body];
  return records.map((record: unknown) => {
    const text = isObject(record) ? record["body"] : undefined;
    return typeof text === "string" ? parseJson(Buffer.from(text)) : undefined;
  });
}

if (import.meta.main) await judge(answerWebhookLine);

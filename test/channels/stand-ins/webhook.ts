import { type CloudEvent, HTTP, ValidationError } from "cloudevents";
import { Webhook } from "standardwebhooks";
import { isObject, parseJson } from "#domain/shared/json";
import { type Arrived, type Outcome, standIn, type StandIn, type StandInOptions } from "./stand-in.ts";

export interface WebhookOptions extends StandInOptions {
  /** `whsec_` and base64. */
  readonly secret?: string;
}

/** An event that the receiver took; repeats of its `webhook-id` are left out. */
export interface TakenEvent {
  readonly id: string;
  readonly mode: "structured" | "binary";
  readonly event: Readonly<Record<string, unknown>>;
}

export interface WebhookStandIn extends StandIn {
  readonly secret: string;
  readonly events: readonly TakenEvent[];
}

const longestAgeS = 300;
const advisedBytes = 20 * 1_024;

/** Starts a receiver of CloudEvents 1.0 with the signatures of Standard Webhooks. It answers 204. */
export async function webhookStandIn({
  secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
  ...options
}: WebhookOptions = {}): Promise<WebhookStandIn> {
  const events: TakenEvent[] = [];
  const server = await standIn(options, (request) => {
    if (request.method !== "POST") return refusal(405, "the method is not POST");
    const unproved = webhookFault(request, secret);
    if (unproved !== undefined) return refusal(401, unproved);
    const read = readEvent(request);
    if ("status" in read) return refusal(read.status, read.fault);
    const id = request.headers["webhook-id"] ?? "";
    const before = events.find((one) => one.id === id);
    const taken = { id, ...read };
    if (before === undefined) events.push(taken);
    return {
      reply: { status: 204 },
      warnings: [
        ...(Buffer.byteLength(request.body) > advisedBytes ? ["the body is larger than 20 KB"] : []),
        ...(before !== undefined && JSON.stringify(before) !== JSON.stringify(taken)
          ? [`${id} comes again with another content`]
          : []),
      ],
    };
  });
  return Object.assign(server, { secret, events });
}

/** Returns why a request is not proved to be from the owner of the secret. */
export function webhookFault({ headers, body, at }: Arrived, secret: string): string | undefined {
  const { "webhook-id": id = "", "webhook-timestamp": timestamp = "", "webhook-signature": signatures = "" } = headers;
  if (id === "" || id.includes(".")) return "webhook-id is missing, or has a dot";
  if (!/^\d+$/.test(timestamp)) return "webhook-timestamp is no number of seconds";
  if (Math.abs(Math.floor(at / 1_000) - Number(timestamp)) > longestAgeS)
    return "webhook-timestamp is too old or too new";
  // The package's `verify` takes the time from the machine.
  const right = new Webhook(secret).sign(id, new Date(Number(timestamp) * 1_000), body);
  return signatures.split(" ").includes(right) ? undefined : "no signature matches";
}

function readEvent(request: Arrived): Omit<TakenEvent, "id"> | { readonly status: number; readonly fault: string } {
  const type = request.headers["content-type"] ?? "";
  const isStructured = /^application\/cloudevents\+json\s*(;|$)/.test(type);
  if (!isStructured && request.headers["ce-specversion"] === undefined)
    return { status: 415, fault: `the content type is ${type}` };
  const headers = { ...request.headers };
  for (const [name, value] of Object.entries(headers))
    if (name.startsWith("ce-") && !isStructured) {
      if (!isEncoded(value)) return { status: 400, fault: `${name} is not percent-encoded` };
      headers[name] = decodeURIComponent(value);
    }
  const given = isStructured ? parseJson(request.body) : headers;
  // The package makes up an id and a version that are absent.
  const missing = ["specversion", "id", "source", "type"].find((name) => {
    const value = isObject(given) ? given[isStructured ? name : `ce-${name}`] : undefined;
    return typeof value !== "string" || value === "";
  });
  if (missing !== undefined) return { status: 400, fault: `there is no ${missing}` };
  try {
    const event = HTTP.toEvent({ headers, body: request.body }) as CloudEvent;
    if (event.specversion !== "1.0") return { status: 400, fault: `specversion is ${event.specversion}` };
    event.validate();
    return { mode: isStructured ? "structured" : "binary", event: event.toJSON() };
  } catch (error) {
    if (error instanceof ValidationError || error instanceof SyntaxError || error instanceof TypeError)
      return { status: 400, fault: error.message };
    throw error;
  }
}

/** A space, a quote, a percent sign and all that is not ASCII must be percent-encoded UTF-8. */
function isEncoded(value: string): boolean {
  if (!/^(?:%[\da-f]{2}|[!#$&-~])+$/i.test(value)) return false;
  try {
    decodeURIComponent(value);
    return true;
  } catch {
    return false;
  }
}

const refusal = (status: number, refused: string): Outcome => ({ reply: { status, body: refused }, refused });

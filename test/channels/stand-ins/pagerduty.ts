import { isObject, parseJson } from "#domain/shared/json";
import type { EpochMs } from "#domain/shared/time";
import {
  type Outcome,
  rateLimit,
  type Reply,
  standIn,
  type StandIn,
  type StandInOptions,
  tooMany,
} from "./stand-in.ts";

export interface PagerDutyOptions extends StandInOptions {
  /** The integration's key, of 32 characters. */
  readonly routingKey?: string;
  /** Allows 120 events a minute. */
  readonly limitsRate?: boolean;
}

/** An incident. After it is resolved, the next trigger of its key begins another one. */
export interface Incident {
  readonly dedupKey: string;
  readonly status: "triggered" | "acknowledged" | "resolved";
  /** Of the first trigger, as a person sees it. */
  readonly summary: string;
  readonly severity: string;
  /** The events that changed it, in order. */
  readonly events: readonly PagerDutyEvent[];
}

/** An event that was accepted. */
export interface PagerDutyEvent {
  readonly at: EpochMs;
  readonly action: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface PagerDutyStandIn extends StandIn {
  readonly routingKey: string;
  /** The oldest first. */
  readonly incidents: readonly Incident[];
  /** Accepted events that changed nothing, such as a second resolve. */
  readonly dropped: readonly PagerDutyEvent[];
  /** The changes that people see beside incidents. They page nobody. */
  readonly changes: readonly Readonly<Record<string, unknown>>[];
}

/** 400 as PagerDuty answers it; never to be sent again. */
export const invalidEvent = (...errors: readonly string[]): Reply =>
  json(400, { status: "invalid event", message: "Event object is invalid", errors });

/** 429; PagerDuty names no time in `Retry-After`. */
export const throttled = (retryAfter?: number): Reply =>
  tooMany(
    retryAfter,
    JSON.stringify({ status: "throttle exceeded", message: "Requests for this service are arriving too quickly." }),
  );

const statusAfter = new Map<unknown, Incident["status"]>([
  ["trigger", "triggered"],
  ["acknowledge", "acknowledged"],
  ["resolve", "resolved"],
]);

/** Starts a PagerDuty with `/v2/enqueue` and `/v2/change/enqueue`. */
export async function pagerDutyStandIn({
  routingKey = "0123456789abcdef0123456789abcdef",
  limitsRate = false,
  ...options
}: PagerDutyOptions = {}): Promise<PagerDutyStandIn> {
  const incidents: Incident[] = [];
  const dropped: PagerDutyEvent[] = [];
  const changes: Readonly<Record<string, unknown>>[] = [];
  const wait = limitsRate ? rateLimit(120, 60_000) : () => undefined;

  const accept = (body: Readonly<Record<string, unknown>>, at: EpochMs): Outcome => {
    const action = String(body["event_action"]);
    const dedupKey =
      typeof body["dedup_key"] === "string" ? body["dedup_key"] : `generated-${String(incidents.length + 1)}`;
    const event = { at, action, body };
    const status = statusAfter.get(action) ?? "triggered";
    const index = incidents.findIndex((one) => one.dedupKey === dedupKey && one.status !== "resolved");
    const open = incidents[index];
    const payload = isObject(body["payload"]) ? body["payload"] : {};
    if (open !== undefined) {
      // An acknowledged incident stays so when its trigger comes again.
      const next = open.status === "acknowledged" && status === "triggered" ? open.status : status;
      incidents[index] = { ...open, status: next, events: [...open.events, event] };
    } else if (status === "triggered") {
      const { summary, severity } = payload;
      incidents.push({ dedupKey, status, summary: String(summary), severity: String(severity), events: [event] });
    } else dropped.push(event);
    return { reply: json(202, { status: "success", message: "Event processed", dedup_key: dedupKey }) };
  };

  const server = await standIn(options, ({ method, path, body, at }) => {
    const isChange = path === "/v2/change/enqueue";
    if (method !== "POST" || (path !== "/v2/enqueue" && !isChange))
      return { reply: { status: 404 }, refused: "not found" };
    if (Buffer.byteLength(body) > 512 * 1_024) return refusal("the event is larger than 512 KB");
    const event = parseJson(body);
    if (!isObject(event)) return refusal("the body is no JSON object");
    const faults = isChange ? changeFaults(event) : faultsOf(event);
    if (faults.length > 0) return refusal(...faults);
    if (event["routing_key"] !== routingKey) return refusal("Invalid routing key");
    if (isChange) {
      changes.push(event);
      return { reply: json(202, { status: "success", message: "Change event processed" }) };
    }
    const waitS = wait(routingKey, at);
    return waitS === undefined ? accept(event, at) : { reply: throttled(), refused: "throttle exceeded" };
  });
  return Object.assign(server, { routingKey, incidents, dropped, changes });
}

/** Returns an event's faults, in PagerDuty's words; empty for an event that it accepts. */
function faultsOf(event: Readonly<Record<string, unknown>>): readonly string[] {
  const { routing_key: key, event_action: action, dedup_key: dedup, payload } = event;
  return [
    ...(isText(key, 32, 32) ? [] : ["Length of 'routing_key' is incorrect (should be 32 characters)"]),
    ...(typeof key === "string" && !/^[a-z\d]*$/i.test(key)
      ? ["'routing_key' cannot contain non-alphanumeric characters."]
      : []),
    ...(statusAfter.has(action)
      ? []
      : ["'event_action' is missing or invalid (should be trigger, acknowledge or resolve)"]),
    ...(dedup === undefined || isText(dedup, 1, 255) ? [] : ["'dedup_key' is too long (maximum is 255 characters)"]),
    ...(dedup === undefined && action !== "trigger" ? ["'dedup_key' is missing or blank"] : []),
    ...(action === "trigger" ? payloadFaults(payload) : []),
    ...linkFaults(event["links"]),
  ];
}

/** Returns the faults of a change event. @see https://developer.pagerduty.com/docs/send-change-event */
function changeFaults({ routing_key: key, payload }: Readonly<Record<string, unknown>>): readonly string[] {
  return [
    ...(isText(key, 32, 32) ? [] : ["Length of 'routing_key' is incorrect (should be 32 characters)"]),
    ...(isObject(payload) && isText(payload["summary"], 1, 1_024) ? [] : ["'payload.summary' is missing or blank"]),
  ];
}

function payloadFaults(payload: unknown): readonly string[] {
  if (!isObject(payload)) return ["'payload' is missing or invalid"];
  const { summary, source, severity, timestamp } = payload;
  return [
    ...(isText(summary, 1, Infinity) ? [] : ["'payload.summary' is missing or blank"]),
    ...(isText(summary, 1_025, Infinity) ? ["'payload.summary' is too long (maximum is 1024 characters)"] : []),
    ...(isText(source, 1, Infinity) ? [] : ["'payload.source' is missing or blank"]),
    ...(["critical", "error", "warning", "info"].includes(severity as string)
      ? []
      : ["'payload.severity' is invalid (should be critical, error, warning or info)"]),
    ...(timestamp === undefined || (typeof timestamp === "string" && !Number.isNaN(Date.parse(timestamp)))
      ? []
      : ["'payload.timestamp' is invalid"]),
  ];
}

function linkFaults(links: unknown): readonly string[] {
  if (links === undefined) return [];
  const isValid = Array.isArray(links) && links.every((one) => isObject(one) && isText(one["href"], 1, Infinity));
  return isValid ? [] : ["'links' is invalid (each needs a 'href')"];
}

const isText = (value: unknown, shortest: number, longest: number): boolean =>
  typeof value === "string" && value.length >= shortest && value.length <= longest;

const json = (status: number, value: unknown): Reply => ({
  status,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(value),
});

const refusal = (...faults: readonly string[]): Outcome => ({
  reply: invalidEvent(...faults),
  refused: faults.join("; "),
});

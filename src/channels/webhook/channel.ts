import { createHmac } from "node:crypto";
import { type EpochMs, toIso } from "#domain/shared/time";
import type { AnyFact } from "#domain/update/events";
import { workloadKey } from "#domain/workload/workload";
import type { FactsSender } from "#ports/channels";
import { answerOf } from "../answers.ts";
import { factData } from "../fact-data.ts";
import { jsonText } from "../json-text.ts";
import type { EntryOf, Tools } from "../kind.ts";
import type { webhook } from "./configuration.ts";

/** The bytes of a key. @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */
const keyBytes = { fewest: 24, most: 64 } as const;
const keyPrefix = "whsec_";
/** While a key changes, receivers may have either of two. */
const mostKeys = 2;

/** Standard Webhooks advises less than 20 KB for a body. The rest is for the attributes of the event. */
const mostDataBytes = 18_000;

/** An event in the form of CloudEvents 1.0. */
interface CloudEvent {
  readonly specversion: "1.0";
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly subject?: string;
  readonly time: string;
  readonly datacontenttype: "application/json";
  readonly data: object;
}

/** Opens a channel that sends facts as signed CloudEvents. */
export function open(
  { address, format, allowNetworks }: EntryOf<typeof webhook>,
  { secret, post, installation }: Tools,
): FactsSender | { readonly problem: string } {
  const keys = keysOf(secret);
  if (keys === undefined)
    return {
      problem: "the secret is not whsec_ and the base64 of 24 to 64 bytes, or two of those with a space between",
    };
  const send = async (event: CloudEvent, now: EpochMs) => {
    const { headers, body } = format === "binary" ? binary(event) : structured(event);
    const id = idText(event.id);
    const timestamp = String(Math.floor(now / 1_000));
    const signed = {
      ...headers,
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": keys.map((key) => `v1,${signature(key, id, timestamp, body)}`).join(" "),
      "user-agent": "lookout",
    };
    return answerOf(await post({ url: address, headers: signed, body, allowNetworks }));
  };
  return {
    form: "facts",
    tell: (fact, now) => send(eventOf(fact, installation), now),
    tryOut: (now) => send(trialOf(installation, now), now),
  };
}

/** Returns the base64 of the HMAC of a message. @see https://www.standardwebhooks.com */
export function signature(key: Buffer, id: string, timestamp: string, body: string): string {
  return createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
}

/** Returns the keys of a secret, or undefined if one of them is none. The first one signs first. */
export function keysOf(secret: string): readonly Buffer[] | undefined {
  const keys = secret.trim().split(/\s+/).map(keyOf);
  return keys.length <= mostKeys && keys.every((key) => key !== undefined) ? keys : undefined;
}

/** Returns the bytes of one key, or undefined for a text that is none. */
export function keyOf(text: string): Buffer | undefined {
  if (!text.startsWith(keyPrefix)) return undefined;
  const base64 = text.slice(keyPrefix.length);
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return undefined;
  const key = Buffer.from(base64, "base64");
  return key.length < keyBytes.fewest || key.length > keyBytes.most ? undefined : key;
}

/** Returns an id as a header without dots, because the signature separates its parts with dots. */
function idText(id: string): string {
  return headerText(id).replaceAll(".", "%2E");
}

function eventOf(fact: AnyFact, installation: string): CloudEvent {
  return {
    ...frame(installation, fact.at),
    id: fact.id,
    type: `dev.lookout.${fact.name}`,
    subject: "workload" in fact ? workloadKey(fact.workload) : fact.registry,
    data: factData(fact, mostDataBytes),
  };
}

function trialOf(installation: string, now: EpochMs): CloudEvent {
  const text = "A test of lookout channel test.";
  const data = { name: "ChannelTested", at: toIso(now), severity: "debug", outcome: "none", text };
  return { ...frame(installation, now), id: `test/${now}`, type: "dev.lookout.ChannelTested", data };
}

function frame(installation: string, at: EpochMs) {
  return {
    specversion: "1.0",
    source: `/lookout/${installation}`,
    time: toIso(at),
    datacontenttype: "application/json",
  } as const;
}

function structured(event: CloudEvent) {
  return { headers: { "content-type": "application/cloudevents+json; charset=utf-8" }, body: jsonText(event) };
}

function binary({ data, datacontenttype, ...attributes }: CloudEvent) {
  const headers = Object.entries(attributes).map(([name, value]) => [`ce-${name}`, headerText(value)]);
  return {
    headers: { ...(Object.fromEntries(headers) as Record<string, string>), "content-type": datacontenttype },
    body: jsonText(data),
  };
}

/** Returns a text as the value of a header. @see https://github.com/cloudevents/spec http-protocol-binding §3.1.3.2 */
function headerText(text: string): string {
  return Array.from(text.toWellFormed(), (character) =>
    /[!#-$&-~]/.test(character) ? character : encodeURIComponent(character),
  ).join("");
}

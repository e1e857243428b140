import { createHmac } from "node:crypto";
import { anyFactView } from "#contracts/messages/fact-view";
import { type EpochMs, toIso } from "#domain/shared/time";
import type { AnyFact } from "#domain/update/events";
import type { FactsSender } from "#ports/channels";
import { answerOf } from "../answers.ts";
import type { EntryOf, Tools } from "../kind.ts";
import type { webhook } from "./configuration.ts";

/** The bytes of a key. @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */
const keyBytes = { fewest: 24, most: 64 } as const;
const keyPrefix = "whsec_";

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
  const key = keyOf(secret);
  if (key === undefined) return { problem: "the key is not whsec_ and the base64 of 24 to 64 bytes" };
  const send = async (event: CloudEvent, now: EpochMs) => {
    const { headers, body } = format === "binary" ? binary(event) : structured(event);
    const id = webhookId(event.id);
    const timestamp = String(Math.floor(now / 1_000));
    const signed = {
      ...headers,
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": `v1,${signature(key, id, timestamp, body)}`,
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

/** Returns the bytes of a key, or undefined for a text that is none. */
export function keyOf(secret: string): Buffer | undefined {
  if (!secret.startsWith(keyPrefix)) return undefined;
  const text = secret.slice(keyPrefix.length);
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined;
  const key = Buffer.from(text, "base64");
  return key.length < keyBytes.fewest || key.length > keyBytes.most ? undefined : key;
}

/** The id of a message has no dots, because the signature separates its parts with dots. */
function webhookId(id: string): string {
  return id.replaceAll(".", "_");
}

function eventOf(fact: AnyFact, installation: string): CloudEvent {
  const subject =
    "workload" in fact
      ? `${fact.workload.cluster}/${fact.workload.namespace}/${fact.workload.kind.toLowerCase()}/${fact.workload.name}`
      : fact.registry;
  return {
    ...frame(installation, fact.at),
    id: fact.id,
    type: `dev.lookout.${fact.name}`,
    subject,
    data: anyFactView(fact),
  };
}

function trialOf(installation: string, now: EpochMs): CloudEvent {
  const data = { name: "ChannelTested", at: toIso(now), severity: "debug", text: "A test of lookout channel test." };
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
  return { headers: { "content-type": "application/cloudevents+json; charset=utf-8" }, body: JSON.stringify(event) };
}

function binary({ data, datacontenttype, ...attributes }: CloudEvent) {
  const headers = Object.entries(attributes).map(([name, value]) => [`ce-${name}`, headerText(value)]);
  return {
    headers: { ...(Object.fromEntries(headers) as Record<string, string>), "content-type": datacontenttype },
    body: JSON.stringify(data),
  };
}

/** Returns a text as the value of a header. @see https://github.com/cloudevents/spec http-protocol-binding §3.1.3.2 */
function headerText(text: string): string {
  return Array.from(text, (character) =>
    /[!#-$&-~]/.test(character) ? character : encodeURIComponent(character),
  ).join("");
}

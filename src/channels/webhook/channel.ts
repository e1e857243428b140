import { type EpochMs, toIso } from "#domain/shared/time";
import type { AnyFact } from "#domain/update/events";
import { workloadKey } from "#domain/workload/workload";
import type { FactsSender } from "#ports/channels";
import { answerOf } from "../answers.ts";
import { factData } from "../fact-data.ts";
import { jsonText } from "../json-text.ts";
import type { EntryOf, Tools } from "../kind.ts";
import { keysOf, notKeys, signatureHeaders } from "../standard-webhooks.ts";
import type { webhook } from "./configuration.ts";

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
  if (keys === undefined) return { problem: notKeys };
  const send = async (event: CloudEvent, now: EpochMs) => {
    const { headers, body } = format === "binary" ? binary(event) : structured(event);
    const proof = signatureHeaders(keys, idText(event.id), body, now);
    const signed = { ...headers, ...proof, "user-agent": "lookout" };
    return answerOf(await post({ url: address, headers: signed, body, allowNetworks }));
  };
  return {
    form: "facts",
    tell: (fact, now) => send(eventOf(fact, installation), now),
    tryOut: (now) => send(trialOf(installation, now), now),
  };
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

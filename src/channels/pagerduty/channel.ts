import type { Step } from "#domain/history/steps";
import type { Trouble } from "#domain/notify/story";
import { isObject, parseJson } from "#domain/shared/json";
import { reasons } from "#domain/shared/reasons";
import { sha256 } from "#domain/shared/sha256";
import { printableText, shortened } from "#domain/shared/shown-text";
import { type EpochMs, toIso } from "#domain/shared/time";
import type { WaitReason } from "#domain/shared/wait-reason";
import type { ImageChange } from "#domain/workload/patch";
import { namespaceOf, workloadKey } from "#domain/workload/workload";
import type { Answer, IncidentsSender } from "#ports/channels";
import type { PostAnswer } from "#ports/post";
import { answerOf } from "../answers.ts";
import { jsonText } from "../json-text.ts";
import type { EntryOf, Tools } from "../kind.ts";
import type { pagerduty } from "./configuration.ts";

const longestKey = 255;
const longestSummary = 1_024;
const longestLine = 300;
const mostLines = 20;

/** Opens a channel that opens and resolves incidents. @see https://developer.pagerduty.com/docs/send-alert-event */
export function open(
  { address, allowNetworks }: EntryOf<typeof pagerduty>,
  { secret, post, installation }: Tools,
): IncidentsSender | { readonly problem: string } {
  const key = secret.trim();
  if (!/^[A-Za-z0-9]{32}$/.test(key)) return { problem: "the integration key is not 32 letters and digits" };
  const send = async (path: string, event: object): Promise<Answer> => {
    const url = `${address.replace(/\/+$/, "")}${path}`;
    const headers = { "content-type": "application/json", "user-agent": "lookout" };
    return meaningOf(await post({ url, headers, body: jsonText({ routing_key: key, ...event }), allowNetworks }));
  };
  const act = (action: "trigger" | "resolve", name: string, incident: object = {}) =>
    send("/v2/enqueue", { event_action: action, dedup_key: dedupKey(installation, name), ...incident });
  return {
    form: "incidents",
    render,
    open: (incident, name) => act("trigger", name, incident),
    resolve: (name) => act("resolve", name),
    // A change event never pages.
    tryOut: (now) => send("/v2/change/enqueue", trialOf(installation, now)),
  };
}

/**
 * Returns the name of a workload's incident in PagerDuty. It ends with the uid of the object, so a
 * workload that is created again gets an incident of its own.
 */
export function dedupKey(installation: string, name: string): string {
  const key = `lookout/${installation}/${name.split("/").at(-1) ?? ""}`;
  return key.length <= longestKey ? key : `lookout/${sha256(key)}`;
}

/** PagerDuty refuses a wrong integration key as it refuses a wrong event. */
function meaningOf(answer: PostAnswer): Answer {
  if (answer.kind !== "answered" || answer.status !== 400) return answerOf(answer);
  const parsed = parseJson(answer.body);
  const errors = isObject(parsed) ? JSON.stringify(parsed["errors"] ?? "") : "";
  return /routing.?key/i.test(errors)
    ? { kind: "off", why: "PagerDuty refuses the integration key" }
    : { kind: "refused", why: "PagerDuty refuses the event (400)" };
}

function render({ severity, update }: Trouble): object {
  const { workload, changes, steps, outcome, at } = update;
  const last = steps.at(-1);
  const name = `${namespaceOf(workload)}/${workload.name}`;
  const text = last === undefined ? outcome : textOf(last);
  return {
    client: "Lookout",
    payload: {
      summary: bounded(`${name}: ${text}`, longestSummary),
      severity,
      source: workloadKey(workload),
      component: workload.name,
      group: namespaceOf(workload),
      class: outcome,
      timestamp: toIso(at),
      custom_details: {
        changes: lines(changes.map(changeText)),
        reasons: lines(update.reasons.map(reasonText)),
        steps: lines(steps.slice(-mostLines).map((step) => `${toIso(step.at)} ${textOf(step)}`)),
        next: `lookout explain ${workload.namespace}/${workload.name}`,
      },
    },
  };
}

function trialOf(installation: string, now: EpochMs): object {
  return {
    payload: {
      summary: "A test of lookout channel test",
      source: `lookout/${installation}`,
      timestamp: toIso(now),
    },
  };
}

function textOf({ word, text }: Step): string {
  return `${word} ${text}`;
}

function changeText({ name, from, to }: ImageChange): string {
  return `${name}: ${from} → ${to}`;
}

function reasonText({ reason, detail }: WaitReason): string {
  const { sentence, remedy } = reasons[reason];
  return [sentence, ...(detail === undefined ? [] : [bounded(detail, longestLine / 2)]), remedy].join(" ");
}

function lines(texts: readonly string[]): readonly string[] {
  return texts.slice(0, mostLines).map((text) => bounded(text, longestLine));
}

function bounded(text: string, most: number): string {
  return shortened(printableText(text.toWellFormed()).replaceAll(/ {2,}/g, " ").trim(), most - 1);
}

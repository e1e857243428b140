import { wordsOf } from "#domain/notify/words";
import { sha256 } from "#domain/shared/sha256";
import { shortened } from "#domain/shared/shown-text";
import { type EpochMs, toIso } from "#domain/shared/time";
import type { AnyFact } from "#domain/update/events";
import { workloadKey } from "#domain/workload/workload";
import type { Answer, FactsSender } from "#ports/channels";
import { factData } from "../fact-data.ts";
import { jsonText } from "../json-text.ts";
import type { EntryOf, Tools } from "../kind.ts";
import { amazonQ, amazonQTrial } from "./amazon-q.ts";
import type { sns } from "./configuration.ts";
import { meaningOf } from "./meaning.ts";

/** SNS takes 256 KB, and bills each 64 KB. */
const mostBytes = 60_000;
const longestSubject = 100;

/** A message of a topic. */
interface Message {
  readonly subject: string;
  readonly message: object;
  readonly attributes: Readonly<Record<string, string>>;
  /** The messages of a group keep their order in a FIFO topic. */
  readonly group: string;
  /** A FIFO topic drops a message with the same identity within five minutes. */
  readonly identity: string;
}

/** Opens a channel that publishes facts to a topic. */
export function open({ topicArn, format }: EntryOf<typeof sns>, { postToAws, installation }: Tools): FactsSender {
  const region = topicArn.split(":")[3] ?? "";
  const headers = { "content-type": "application/x-www-form-urlencoded; charset=utf-8" };
  const send = async (message: Message): Promise<Answer> =>
    meaningOf(await postToAws({ service: "sns", region, headers, body: formOf(topicArn, message) }));
  return {
    form: "facts",
    tell: (fact) =>
      send({ ...messageOf(fact), message: format === "plain" ? factData(fact, mostBytes) : amazonQ(fact) }),
    tryOut: (now) => send(trialOf(format, installation, now)),
  };
}

function messageOf(fact: AnyFact): Omit<Message, "message"> {
  const { severity, outcome, text } = wordsOf(fact);
  const workload = "workload" in fact ? fact.workload : undefined;
  const place = workload === undefined ? {} : { cluster: workload.cluster, namespace: workload.namespace };
  return {
    subject: subjectOf(text),
    attributes: { name: fact.name, ...place, severity, outcome },
    group: "workload" in fact ? workloadKey(fact.workload) : fact.registry,
    identity: fact.id,
  };
}

function trialOf(format: EntryOf<typeof sns>["format"], installation: string, now: EpochMs): Message {
  const text = "A test of lookout channel test.";
  const data = { name: "ChannelTested", at: toIso(now), severity: "debug", outcome: "none", text };
  return {
    subject: subjectOf(text),
    message: format === "plain" ? data : amazonQTrial(text),
    attributes: { name: data.name, severity: data.severity, outcome: data.outcome },
    group: installation,
    identity: `${installation}/test/${now}`,
  };
}

/** Returns a text as the subject of an e-mail: printable ASCII, which begins with no space. */
function subjectOf(text: string): string {
  const ascii = text
    .replaceAll("→", "->")
    .replaceAll("…", "...")
    .replaceAll(/[^ -~]/gu, "?")
    .trim();
  return ascii.length <= longestSubject ? ascii : `${shortened(ascii, longestSubject - 3).slice(0, -1)}...`;
}

function formOf(topicArn: string, { subject, message, attributes, group, identity }: Message): string {
  const listed = Object.entries(attributes).flatMap(([name, value], index) => {
    const entry = `MessageAttributes.entry.${index + 1}`;
    return [
      [`${entry}.Name`, name],
      [`${entry}.Value.DataType`, "String"],
      [`${entry}.Value.StringValue`, value],
    ] as const;
  });
  const order = topicArn.endsWith(".fifo")
    ? ([
        ["MessageGroupId", sha256(group)],
        ["MessageDeduplicationId", sha256(identity)],
      ] as const)
    : [];
  const pairs = [
    ["Action", "Publish"],
    ["Version", "2010-03-31"],
    ["TopicArn", topicArn],
    ["Subject", subject],
    ["Message", jsonText(message)],
    ...listed,
    ...order,
  ] as const;
  return new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, value])).toString();
}

import { type Outcome, type Severity, wordsOf } from "#domain/notify/words";
import { reasons } from "#domain/shared/reasons";
import type { WaitReason } from "#domain/shared/wait-reason";
import type { AnyFact, Fact } from "#domain/update/events";
import { workloadKey } from "#domain/workload/workload";
import { inert } from "./inert.ts";

const longest = { text: 250, image: 200, detail: 150 } as const;
const most = { changes: 10, reasons: 5, steps: 4 } as const;

/** What is before the title of an update. */
const marks: Readonly<Record<Outcome, string>> = {
  none: "",
  waiting: "⏸ ",
  "in-progress": "🔄 ",
  succeeded: "✅ ",
  failed: "❌ ",
  "rolled-back": "↩️ ",
  "rollback-failed": "🚨 ",
  reverted: "↩️ ",
  rejected: "✋ ",
  superseded: "⏭ ",
};

/** A notification of Amazon Q. @see https://docs.aws.amazon.com/chatbot/latest/adminguide/custom-notifs.html */
interface Notification {
  readonly title: string;
  readonly description: string;
  readonly nextSteps?: readonly string[];
  readonly keywords: readonly string[];
  readonly thread: string;
  readonly summary: string;
  readonly type: string;
  readonly resources?: readonly string[];
  readonly context: Readonly<Record<string, string>>;
}

/** Returns a fact in the form of Amazon Q. */
export function amazonQ(fact: AnyFact): object {
  const words = wordsOf(fact);
  const text = inert(words.text, longest.text);
  const context = { id: inert(fact.id, longest.image), severity: words.severity, outcome: words.outcome };
  const common = { summary: text, type: fact.name };
  if (!("workload" in fact)) {
    const registry = inert(fact.registry, longest.image);
    const about = { title: registry, description: text, keywords: keywordsOf([registry], words.severity) };
    return notification({ ...common, ...about, thread: inert(fact.id, longest.image), context });
  }
  const { cluster, namespace, name } = fact.workload;
  const place = inert(`${cluster}/${namespace}/${name}`, longest.text);
  const key = inert(workloadKey(fact.workload), longest.text);
  return notification({
    ...common,
    title: `${marks[words.outcome]}${place}${words.outcome === "none" ? "" : `: ${words.outcome.replaceAll("-", " ")}`}`,
    description: [text, ...changesOf(fact), ...fact.reasons.slice(0, most.reasons).map(reasonText)].join("\n"),
    nextSteps: nextStepsOf(fact),
    keywords: keywordsOf([inert(cluster, longest.text), inert(namespace, longest.text)], words.severity),
    thread: inert(fact.correlationId ?? `${fact.uid}/${fact.seq}`, longest.image),
    resources: [key],
    context: { ...context, cluster: inert(cluster, longest.text), namespace: inert(namespace, longest.text) },
  });
}

/** Returns the message of a test. */
export function amazonQTrial(text: string): object {
  const type = "ChannelTested";
  return notification({
    title: "Lookout",
    description: text,
    keywords: ["test"],
    thread: type,
    summary: text,
    type,
    context: {},
  });
}

function notification({ thread, summary, type, resources = [], context, ...content }: Notification): object {
  return {
    version: "1.0",
    source: "custom",
    content: { textType: "client-markdown", ...content },
    metadata: {
      threadId: thread,
      summary,
      eventType: type,
      relatedResources: resources,
      additionalContext: context,
      enableCustomActions: false,
    },
  };
}

function changesOf({ changes }: Fact): readonly string[] {
  const shown = changes
    .slice(0, most.changes)
    .map(
      ({ name, from, to }) =>
        `• ${inert(name, longest.text)}: ${inert(from, longest.image)} → ${inert(to, longest.image)}`,
    );
  const others = changes.length - shown.length;
  return others === 0 ? shown : [...shown, `… ${others} more`];
}

function reasonText({ reason, detail }: WaitReason): string {
  return `• ${reasons[reason].sentence}${detail === undefined ? "" : ` ${inert(detail, longest.detail)}`}`;
}

function nextStepsOf({ reasons: why, workload }: Fact): readonly string[] {
  const name = inert(`${workload.namespace}/${workload.name}`, longest.text);
  const remedies = why.map(({ reason }) => reasons[reason].remedy.replaceAll("WORKLOAD", name));
  return [...[...new Set(remedies)].slice(0, most.steps - 1), `See why: lookout explain ${name}`];
}

function keywordsOf(places: readonly string[], severity: Severity): readonly string[] {
  return [...new Set([...places, severity])];
}

import type { ChannelFilter } from "#domain/notify/filter";
import type { Story } from "#domain/notify/story";
import { type DurationMs, hours, seconds } from "#domain/shared/time";
import type { Answer, Channel, Channels, Sender } from "#ports/channels";
import { namesIn } from "#contracts/config/channel-events";

/** A message of the chat, as it reads now. */
export interface ChatMessage {
  readonly text: string;
  /** The number of its edits. */
  readonly edits: number;
  /** The text of the message whose thread it is in. Absent outside of threads. */
  readonly thread?: string;
}

/** A chat in memory, with the channel that tells it. */
export interface Chat {
  readonly channels: Channels;
  readonly messages: () => readonly ChatMessage[];
  /** The calls of the chat, also those that failed. */
  readonly calls: () => number;
  /** Gives these answers before any other one. `crash`: the message arrives, and then the process dies. */
  readonly answerNext: (...answers: readonly (Answer | "crash")[]) => void;
  /** Another secret is in its place. */
  readonly setStamp: (stamp: string) => void;
}

interface ChatOptions {
  readonly name?: string;
  readonly events?: readonly string[];
  readonly filter?: Partial<ChannelFilter>;
  readonly quiet?: Channel["quiet"];
  readonly gather?: DurationMs;
  /** The clock of a chat that takes one message a second. Absent: it takes any number. */
  readonly everySecondOf?: () => number;
  /** False for a chat whose messages can't change. */
  readonly edits?: boolean;
}

/** Returns one line for a story: what a person would see of it. */
export function storyText({ updates, counts, total }: Story): string {
  const [update] = updates;
  if (total === 1 && update !== undefined)
    return `${update.workload.name} ${update.changes.map(({ tag }) => tag).join()} ${update.outcome}`;
  const all = Object.entries(counts)
    .map(([outcome, count]) => `${count} ${outcome}`)
    .toSorted();
  return `${total} updates: ${all.join(", ")}`;
}

/** Opens an empty chat. */
export function chat(options: ChatOptions = {}): Chat {
  const { name = "releases", events = ["rollouts", "failures", "holds", "approvals"], edits = true } = options;
  const posted: { text: string; edits: number; thread?: string }[] = [];
  const answers: (Answer | "crash")[] = [];
  let calls = 0;
  let takenAt = 0;
  let stamp = "first";
  const answer = (act: () => string): Answer => {
    calls += 1;
    const next = answers.shift();
    if (next !== undefined && next !== "crash" && next.kind !== "told") return next;
    const now = options.everySecondOf?.();
    if (now !== undefined && now < takenAt + 1_000) return { kind: "later", why: "429", after: seconds(1) };
    takenAt = now ?? 0;
    const reference = act();
    if (next === "crash") throw new Error("the process died");
    return { kind: "told", reference };
  };
  const sender: Sender = {
    form: "updates",
    render: (story) => ({ text: storyText(story) }),
    renderFailure: ({ workload, outcome }) => ({ text: `${workload.name} ${outcome}` }),
    post: async (message, thread) =>
      answer(() => {
        const { text } = message as { readonly text: string };
        const of = thread === undefined ? undefined : posted[Number(thread)]?.text;
        return String(posted.push({ text, edits: 0, ...(of === undefined ? {} : { thread: of }) }) - 1);
      }),
    ...(edits
      ? {
          edit: async (message: object, reference: string) =>
            answer(() => {
              const one = posted[Number(reference)];
              if (one === undefined) throw new Error("no such message");
              one.text = (message as { readonly text: string }).text;
              one.edits += 1;
              return reference;
            }),
        }
      : {}),
    tryOut: async () => answer(() => "test"),
  };
  const channel: Channel = {
    name,
    kind: "chat",
    filter: { form: "updates", names: namesIn(events), minSeverity: "info", ...options.filter },
    gather: options.gather ?? seconds(10),
    quiet: options.quiet ?? [],
    givesUpAfter: hours(6),
    open: async () => ({ kind: "open", sender, stamp }),
  };
  return {
    channels: { all: () => [channel], channel: (asked) => (asked === name ? channel : undefined) },
    messages: () => posted.map((message) => ({ ...message })),
    calls: () => calls,
    answerNext: (...next) => void answers.push(...next),
    setStamp: (next) => void (stamp = next),
  };
}

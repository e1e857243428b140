import type { AnyFact } from "#domain/update/events";
import { namesIn } from "#contracts/config/channels";
import { hours, seconds } from "#domain/shared/time";
import type { Answer, Channel, Channels, Sender } from "#ports/channels";
import { type Chat, chat } from "./chat.ts";

/** A service in memory that opens incidents, with the channel that tells it. */
export interface Pager {
  readonly channels: Channels;
  /** The open incidents: what each shows, by its key. */
  readonly open: () => ReadonlyMap<string, string>;
  /** The calls that opened an incident. */
  readonly opened: () => number;
}

/** A receiver in memory that takes each fact, and drops a fact that it has. */
export interface Audit {
  readonly channels: Channels;
  /** The ids of the facts. */
  readonly ids: () => ReadonlySet<string>;
  /** The facts that came, repeated ones included. */
  readonly calls: () => number;
}

/** One receiver of each form, as the channels of one installation. */
export interface Receivers {
  readonly channels: Channels;
  /** A chat whose messages change. */
  readonly chat: Chat;
  /** A chat whose messages can't change. */
  readonly plain: Chat;
  readonly pager: Pager;
  readonly audit: Audit;
}

/** Returns one channel as all channels. */
export function onlyChannel(channel: Channel): Channels {
  return { all: () => [channel], channel: (asked) => (asked === channel.name ? channel : undefined) };
}

/** Returns the channels of several receivers. */
export function together(...all: readonly Channels[]): Channels {
  const list = all.flatMap((one) => one.all());
  return { all: () => list, channel: (name) => list.find((one) => one.name === name) };
}

const told: Answer = { kind: "told" };

function channelWith(name: string, kind: string, sender: Sender, events: readonly string[]): Channel {
  return {
    ...{ name, kind, gather: seconds(0), quiet: [], givesUpAfter: hours(24) },
    filter: { form: sender.form, names: namesIn(events), minSeverity: "info" },
    open: async () => ({ kind: "open", sender, stamp: "first" }),
  };
}

/** Opens a service without incidents. */
export function pager(name = "oncall"): Pager {
  const incidents = new Map<string, string>();
  let opened = 0;
  const sender: Sender = {
    form: "incidents",
    render: ({ update: { workload, changes, outcome } }) => ({
      text: `${workload.name} ${changes.map(({ tag }) => tag).join()} ${outcome}`,
    }),
    open: async (incident, key) => {
      opened += 1;
      incidents.set(key, (incident as { readonly text: string }).text);
      return told;
    },
    resolve: async (key) => {
      incidents.delete(key);
      return told;
    },
    tryOut: async () => told,
  };
  const channels = onlyChannel(channelWith(name, "pager", sender, ["failures"]));
  return { channels, open: () => incidents, opened: () => opened };
}

/** Opens a receiver without facts. `answer`: what it answers to each. */
export function audit(
  name = "audit",
  answer: (take: () => Answer, fact: AnyFact) => Promise<Answer> = async (take) => take(),
): Audit {
  const ids = new Set<string>();
  let calls = 0;
  const sender: Sender = {
    form: "facts",
    tell: async (fact) => {
      calls += 1;
      return answer(() => {
        ids.add(fact.id);
        return told;
      }, fact);
    },
    tryOut: async () => told,
  };
  const events = ["rollouts", "failures", "holds", "approvals", "versions", "workloads"];
  return { channels: onlyChannel(channelWith(name, "audit", sender, events)), ids: () => ids, calls: () => calls };
}

/** Opens one empty receiver of each form. */
export function receivers(): Receivers {
  const parts = { chat: chat({ gather: seconds(10) }), plain: chat({ name: "plain", edits: false }) };
  const others = { pager: pager(), audit: audit() };
  const all = [...Object.values(parts), ...Object.values(others)];
  return { ...parts, ...others, channels: together(...all.map(({ channels }) => channels)) };
}

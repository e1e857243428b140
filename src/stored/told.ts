import * as z from "zod/mini";
import type { ChannelState } from "#domain/notify/channel-state";
import type { Subject, ToldMessage } from "#domain/notify/told";
import { sha256 } from "#domain/shared/sha256";
import { hours, plus } from "#domain/shared/time";
import type { Condition, ItemKey } from "#ports/items";
import type { ChannelStates, ToldMessages } from "#ports/told";
import { isSameKey, workloadPartition } from "./keys.ts";
import { itemOf, type Kind, type Storage, valueOf, valuesOf } from "./kind.ts";
import { anyText, count, instant, keyText, list, maybe, type Members, number, text } from "./shape.ts";
import { putIf } from "./writes.ts";

const subject: z.ZodMiniType<Subject> = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("update"), workload: keyText(800), seq: count }),
  z.object({ kind: z.literal("push"), push: keyText(900) }),
  z.object({ kind: z.literal("workload"), workload: keyText(800) }),
  z.object({ kind: z.literal("quiet"), until: instant }),
]);

/** The kind of what channels were told. */
export const toldKind: Kind<ToldMessage> = {
  name: "told message",
  form: 1,
  shape: z.object({
    channel: keyText(63),
    subject,
    version: number,
    since: instant,
    showAt: instant,
    wakeAt: maybe(instant),
    claimedUntil: maybe(instant),
    reference: maybe(text),
    hash: maybe(anyText),
    shows: count,
    failures: list(anyText),
    members: maybe(list(anyText)),
  } satisfies Members<ToldMessage>),
  isAt: (told, key) => isSameKey(toldKey(told), key),
};

/** A message is kept as long as its subject may still change: the archive of facts, and two weeks. */
const keptFor = hours(45 * 24);

/** Returns the key of a message: under its workload, or under its channel if it is about several. */
export function toldKey({ channel, subject: about }: Pick<ToldMessage, "channel" | "subject">): ItemKey {
  switch (about.kind) {
    case "update":
      return { pk: workloadPartition(about.workload), sk: `TOLD#${channel}#${about.seq}` };
    case "workload":
      return { pk: workloadPartition(about.workload), sk: `TOLD#${channel}` };
    case "push":
      return { pk: `TOLD#${channel}#${sha256(about.push).slice(0, 2)}`, sk: `PUSH#${about.push}` };
    case "quiet":
      return { pk: `TOLD#${channel}#quiet`, sk: String(about.until) };
  }
}

/** Returns the store of what channels were told. */
export function storedToldMessages(storage: Storage): ToldMessages {
  const { items } = storage;
  return {
    async read(channel, about) {
      const item = await items.get(toldKey({ channel, subject: about }), `reading what ${channel} was told`);
      return item && valueOf(toldKind, item);
    },
    write: (told) =>
      putIf(
        items,
        itemOf(toldKind, toldKey(told), told, {
          marks: { version: told.version },
          expiresAt: plus(told.showAt, keptFor),
        }),
        versionBefore(told.version),
        `storing what ${told.channel} was told`,
      ),
  };
}

/** The kind of how channels do. */
export const channelStateKind: Kind<ChannelState> = {
  name: "state of a channel",
  form: 1,
  shape: z.object({
    channel: keyText(63),
    version: number,
    failures: count,
    openUntil: maybe(instant),
    why: maybe(anyText),
    offWith: maybe(anyText),
    failingSince: maybe(instant),
    untold: count,
    toldAt: maybe(instant),
  } satisfies Members<ChannelState>),
  isAt: ({ channel }, { sk }) => channel === sk,
};

/** All states share a partition, so that one query lists them. */
const states = "CHANNELS";

/** Returns the store of how channels do. */
export function storedChannelStates(storage: Storage): ChannelStates {
  const { items } = storage;
  return {
    async read(channel) {
      const item = await items.get({ pk: states, sk: channel }, `reading the state of channel ${channel}`);
      // A state that can't be read stops no channel. The next sending replaces it.
      return item && valuesOf(channelStateKind, [item], storage)[0];
    },
    list: async () => valuesOf(channelStateKind, await items.query({ pk: states }, "listing channels"), storage),
    write: (state) =>
      putIf(
        items,
        itemOf(channelStateKind, { pk: states, sk: state.channel }, state, { marks: { version: state.version } }),
        versionBefore(state.version),
        `storing the state of channel ${state.channel}`,
      ),
  };
}

function versionBefore(version: number): Condition {
  return version === 1 ? { kind: "absent" } : { kind: "equals", mark: "version", value: version - 1 };
}

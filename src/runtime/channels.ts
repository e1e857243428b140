import { createHash } from "node:crypto";
import type { Tools } from "#channels/kind";
import { filterOf, rowOf } from "#contracts/config/channel-rows";
import type { ChannelConfiguration, Configuration } from "#contracts/config/configuration";
import { channelSecret, type ConfiguredSecret, secretOf } from "#contracts/config/secret-places";
import type { MaintenanceWindow } from "#domain/schedule/window";
import { type DurationMs, seconds } from "#domain/shared/time";
import type { Channel, Channels, OpenedChannel } from "#ports/channels";
import type { SecretRead } from "#ports/secrets";

/** What the channels of a process work with. */
export interface ChannelWorld extends Omit<Tools, "secret" | "installation"> {
  /** Reads a secret. `isFresh`: a kept one is read again. */
  readonly readSecret: (secret: ConfiguredSecret, isFresh: boolean) => Promise<SecretRead>;
  readonly installation: () => Promise<string>;
}

/** The channels of a process without an entry. */
export const noChannels: Channels = { all: () => [], channel: () => undefined };

/** Returns the channels of a configuration. Nothing is read before a channel is opened. */
export function channelsOf({ channels }: Pick<Configuration, "channels">, world: ChannelWorld): Channels {
  const made = new Map(channels.map((entry) => [entry.name, channelOf(entry, world)]));
  const all = [...made.values()];
  return { all: () => all, channel: (name) => made.get(name) };
}

function channelOf(entry: ChannelConfiguration, world: ChannelWorld): Channel {
  const { kind, load } = rowOf(entry);
  const { gather = seconds(0), quiet = [] } = entry as {
    readonly gather?: DurationMs;
    readonly quiet?: readonly MaintenanceWindow[];
  };
  const { givesUpAfter } = kind;
  return {
    ...{ name: entry.name, kind: entry.kind, filter: filterOf(entry), gather, quiet, givesUpAfter },
    async open(isFresh = false): Promise<OpenedChannel> {
      const read =
        kind.secret === undefined
          ? ({ kind: "secret", value: "" } as const)
          : await world.readSecret(secretOf(channelSecret, entry), isFresh);
      if (read.kind === "missing") return { kind: "unusable", why: read.why };
      const { open } = await load();
      const { post, postToAws } = world;
      const tools = { secret: read.value, post, postToAws, installation: await world.installation() };
      const sender = open(entry as never, tools);
      if ("problem" in sender) return { kind: "unusable", why: sender.problem };
      return { kind: "open", sender, stamp: stampOf(entry, read.value) };
    },
  };
}

/** Returns a text that changes with an entry and its secret. Its 48 bits do not show the secret. */
function stampOf(entry: ChannelConfiguration, secret: string): string {
  return createHash("sha256")
    .update(JSON.stringify([entry, secret]))
    .digest("hex")
    .slice(0, 12);
}

import { rowOf } from "#contracts/config/channel-rows";
import type { Configuration } from "#contracts/config/configuration";
import { channelSecret, secretOf } from "#contracts/config/secret-places";
import { channelsOf } from "../channels.ts";
import { type LocalSources, readSecret } from "./configuration-secrets.ts";

/** A channel of a valid `lookout.yaml` that would tell nothing. */
export interface ChannelNotice {
  readonly channel: string;
  readonly text: string;
}

/**
 * Returns a notice for each channel whose secret is missing or wrong here. The others start all the
 * same. Secrets in AWS are not read, and nothing is sent.
 */
export async function channelNotices(
  { channels }: Pick<Configuration, "channels">,
  sources: LocalSources,
): Promise<readonly ChannelNotice[]> {
  const refOf = (entry: Configuration["channels"][number]) =>
    rowOf(entry).kind.secret === undefined ? undefined : secretOf(channelSecret, entry).ref;
  const local = channels.filter((entry) => {
    const ref = refOf(entry);
    return ref === undefined || "variable" in ref || "file" in ref;
  });
  const unsent = () => Promise.resolve({ kind: "unanswered", why: "nothing is sent" } as const);
  const opened = channelsOf(
    { channels: local },
    {
      post: unsent,
      postToAws: unsent,
      installation: () => Promise.resolve("check"),
      readSecret: ({ ref, owner }) =>
        ref === undefined
          ? Promise.resolve({ kind: "missing", why: withoutPlace(owner) })
          : readSecret(ref, { ...sources, readInAws: () => Promise.resolve({ kind: "missing", why: "not read" }) }),
    },
  );
  const notices = await Promise.all(
    opened.all().map(async (channel) => {
      const found = await channel.open();
      return found.kind === "open" ? [] : [{ channel: channel.name, text: found.why }];
    }),
  );
  return notices.flat();
}

/** Returns a notice as text, with the next command. */
export function channelNoticeText({ channel, text }: ChannelNotice): string {
  return `channel ${channel}: ${text}. The other channels start. When this is corrected: lookout channel test ${channel}`;
}

function withoutPlace(owner: string): string {
  return `its secret has no place for lookout start: add secretEnv or secretFile. A stack reads the parameter /STACK/channels/${owner}`;
}

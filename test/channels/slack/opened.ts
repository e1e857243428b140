import { httpPost } from "#adapters/http-post/post";
import { Channels as Entries } from "#contracts/config/channels";
import type { Channels } from "#ports/channels";
import { channelsOf } from "#runtime/channels";

/** Opens the entries of `channels` as a process does. `secrets`: by the names of their variables. */
export function openedChannels(
  entries: readonly object[],
  secrets: Readonly<Record<string, string | undefined>>,
): Channels {
  return channelsOf(
    { channels: Entries.parse(entries) },
    {
      post: httpPost({ isServerless: false, timeoutMs: 2_000 }),
      postToAws: () => Promise.reject(new Error("no channel of these tests needs AWS")),
      installation: async () => "abc123",
      readSecret: async ({ ref }) => {
        const variable = ref !== undefined && "variable" in ref ? ref.variable : "";
        const value = secrets[variable];
        return value === undefined ? { kind: "missing", why: `${variable} is not set` } : { kind: "secret", value };
      },
    },
  );
}

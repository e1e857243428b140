import type * as z from "zod";
import type { ChannelForm, EventGroup } from "#domain/notify/filter";
import type { Severity } from "#domain/notify/words";
import type { DurationMs } from "#domain/shared/time";
import type { Sender } from "#ports/channels";
import type { Post, SignedPost } from "#ports/post";

/** The keys that a kind adds to an entry of `channels`. */
export type KindKeys = Readonly<Record<string, z.core.$ZodType>>;

/** An entry of `channels`, as its kind reads it. */
export type EntryOf<Kind extends ChannelKind> = z.output<z.ZodObject<Kind["keys"]>> & { readonly name: string };

/** What a sender works with. */
export interface Tools {
  /** The secret of the entry. Empty for a kind without a secret. */
  readonly secret: string;
  /** Sends a request, and reads at most 16 KiB of its answer. It never throws. */
  readonly post: Post;
  /** Sends a request to a service of AWS, with the credentials of the process. */
  readonly postToAws: SignedPost;
  /** The name of the installation, for identities that other installations must not share. */
  readonly installation: string;
}

/** Returns the sender of an entry, or why the entry or its secret can't be used. The text never shows the secret. */
export type OpenSender = (entry: never, tools: Tools) => Sender | { readonly problem: string };

/** A kind of channel. Its folder has its keys, what it shows, and how it sends. */
export interface ChannelKind<Keys extends KindKeys = KindKeys> {
  readonly form: ChannelForm;
  /** What it is, for people: `Slack, by a bot`. */
  readonly about: string;
  /** What its secret is: `the token of the bot (xoxb-…)`. Absent for a kind without a secret. */
  readonly secret?: string;
  /** What it tells, if the entry does not say. */
  readonly tells: { readonly events: readonly EventGroup[]; readonly minSeverity: Severity };
  /** A message that is older tells nobody anything. */
  readonly givesUpAfter: DurationMs;
  readonly keys: Keys;
  /** Returns the manifest of the app that an entry needs at the service. Absent if it needs none. */
  manifest?(entry: { readonly name: string }): object;
  /** The rights that its function needs on AWS. Absent if it needs none besides its secret. */
  rights?(entry: Readonly<Record<string, unknown>>): readonly {
    readonly actions: readonly string[];
    readonly resources: readonly string[];
  }[];
}

/** Returns a kind of channel, with the type of its keys. */
export function channelKind<const Keys extends KindKeys>(kind: ChannelKind<Keys>): ChannelKind<Keys> {
  return kind;
}

/** A row of the table of kinds. */
export interface ChannelRow {
  readonly kind: ChannelKind;
  /** Loads the code that only a process with such a channel needs. */
  readonly load: () => Promise<{ readonly open: OpenSender }>;
}

import type { ChannelFilter } from "#domain/notify/filter";
import type { Story, Trouble, UpdateStory } from "#domain/notify/story";
import type { MaintenanceWindow } from "#domain/schedule/window";
import type { DurationMs, EpochMs } from "#domain/shared/time";
import type { AnyFact } from "#domain/update/events";

/** What a channel's server made of a message. */
export type Answer =
  /** `reference`: the name of the message, for later changes. Absent if messages can't be changed. */
  | { readonly kind: "told"; readonly reference?: string }
  /** A later try may succeed. `after`: the pause that the server asks for. */
  | { readonly kind: "later"; readonly why: string; readonly after?: DurationMs }
  /** The server takes messages, but not this one. */
  | { readonly kind: "refused"; readonly why: string }
  /** The message that has to change is gone, so a new one is needed. */
  | { readonly kind: "gone"; readonly why: string }
  /** Every message fails until a person changes the entry, the secret or the receiver. */
  | { readonly kind: "off"; readonly why: string };

/** Tells each fact as data. */
export interface FactsSender {
  readonly form: "facts";
  /** Sends a fact. A repeated sending has the same id, so that the receiver can drop it. */
  tell(fact: AnyFact, now: EpochMs): Promise<Answer>;
  /** Sends a harmless message. */
  tryOut(now: EpochMs): Promise<Answer>;
}

/** Shows how updates stand. */
export interface UpdatesSender {
  readonly form: "updates";
  /** Returns what a message shows, as JSON. The same story gives the same message. */
  render(story: Story): object;
  /** Returns what tells one failure on its own: in the thread of its message, or as a message. */
  renderFailure(update: UpdateStory): object;
  /** Sends a new message. `thread`: the message that it answers. */
  post(message: object, thread?: string): Promise<Answer>;
  /** Replaces a message. Absent if messages can't be changed: then only ends and problems are posted. */
  readonly edit?: (message: object, reference: string) => Promise<Answer>;
  /** Sends a harmless message. */
  tryOut(now: EpochMs): Promise<Answer>;
}

/** Opens and resolves one incident for each workload. */
export interface IncidentsSender {
  readonly form: "incidents";
  /** Returns what opens an incident, as JSON. */
  render(trouble: Trouble): object;
  /** Opens an incident, or changes the open one. `key`: the workload. */
  open(incident: object, key: string): Promise<Answer>;
  /** Resolves the incident of a workload. */
  resolve(key: string): Promise<Answer>;
  /** Sends a harmless message. */
  tryOut(now: EpochMs): Promise<Answer>;
}

/** Sends what a channel tells. No method throws: a failure is an {@link Answer}. */
export type Sender = FactsSender | UpdatesSender | IncidentsSender;

/** A channel with its secret, or why it can't be used. */
export type OpenedChannel =
  /** `stamp`: a text that changes with the entry and with the secret, and does not show the secret. */
  | { readonly kind: "open"; readonly sender: Sender; readonly stamp: string }
  | { readonly kind: "unusable"; readonly why: string };

/** One entry of `channels`. */
export interface Channel {
  readonly name: string;
  readonly kind: string;
  readonly filter: ChannelFilter;
  readonly gather: DurationMs;
  /** The windows in which nothing below a warning is told. */
  readonly quiet: readonly MaintenanceWindow[];
  /** The time after which a message is given up. */
  readonly givesUpAfter: DurationMs;
  /**
   * Reads the secret. `isFresh`: a kept secret is read again.
   *
   * @throws TransientError when a retry may help.
   */
  open(isFresh?: boolean): Promise<OpenedChannel>;
}

/** The channels of `lookout.yaml`. */
export interface Channels {
  /** Returns all channels, in the order of `lookout.yaml`. */
  all(): readonly Channel[];
  /** Returns the channel of a name, or undefined. */
  channel(name: string): Channel | undefined;
}

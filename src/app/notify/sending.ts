import {
  admissionOf,
  afterFailure,
  afterSuccess,
  afterUntold,
  type ChannelState,
  isProbe,
  probing,
  turnedOff,
} from "#domain/notify/channel-state";
import { tryAgainAfter, withinDelay } from "#domain/notify/told";
import { durationMs, type EpochMs, plus, since } from "#domain/shared/time";
import { TransientError } from "#ports/errors";
import type { Deliver } from "#domain/update/commands";
import type { Answer, Channel, OpenedChannel, Sender } from "#ports/channels";
import type { Ports } from "../shared/ports.ts";

/** One call of a channel's sender. */
type Call<Form extends Sender["form"]> = (sender: Extract<Sender, { form: Form }>) => Promise<Answer>;

/**
 * Opens a channel. If its secret can't be read for a while, the delivery comes again for hours, as after
 * any other fault: a message that fails five times would be lost.
 */
export async function openedNow(
  channel: Channel,
  isFresh?: boolean,
): Promise<OpenedChannel | Extract<Answer, { kind: "later" }>> {
  try {
    return await channel.open(isFresh);
  } catch (error) {
    if (error instanceof TransientError) return { kind: "later", why: error.message };
    throw error;
  }
}

/**
 * Calls the sender of a channel, if its breaker lets it, and stores how the channel does.
 *
 * A channel without its secret, or with a pause, gives the answer without a call. After an answer that
 * asks for a person, the secret is read again, and a new one is tried once.
 *
 * @throws TransientError if the state can't be read for a while
 */
export async function send<Form extends Sender["form"]>(
  channel: Channel,
  _form: Form,
  call: Call<Form>,
  ports: Pick<Ports, "channelStates" | "clock" | "metrics">,
): Promise<Answer> {
  const { channelStates, clock, metrics } = ports;
  const state = await channelStates.read(channel.name);
  const opened = await openedNow(channel);
  if (opened.kind === "later") return opened;
  const off = (why: string, stamp: string) =>
    channelStates.write(turnedOff(state, channel.name, { why, stamp }, clock.now()));
  if (opened.kind === "unusable") {
    if (state?.offWith !== unusable || state.why !== opened.why) await off(opened.why, unusable);
    return { kind: "off", why: opened.why };
  }
  const { stamp } = opened;
  const admission = admissionOf(state, stamp, clock.now());
  if (admission.kind === "off") return { kind: "off", why: admission.why };
  if (admission.kind === "later") return pausedFor(admission, clock.now());
  let current = state;
  if (state !== undefined && isProbe(state, clock.now())) {
    current = probing(state, clock.now());
    if (!(await channelStates.write(current)))
      return pausedFor({ until: plus(clock.now(), durationMs(2_000)), why: state.why ?? "" }, clock.now());
  }
  const called = (sender: Sender): Promise<Answer> => call(sender as Extract<Sender, { form: Form }>);
  let answer = await called(opened.sender);
  let lastStamp = stamp;
  if (answer.kind === "off") {
    const fresh = await openedNow(channel, true);
    if (fresh.kind === "open" && fresh.stamp !== stamp) {
      lastStamp = fresh.stamp;
      answer = await called(fresh.sender);
    }
  }
  metrics.add(answer.kind === "told" ? "ChannelTold" : "ChannelFailed", 1, {
    channel: channel.name,
    kind: channel.kind,
  });
  const next = stateAfter(answer, { current, channel: channel.name, stamp: lastStamp }, clock.now());
  // If another run stored its own answer first, that answer counts.
  if (next !== undefined) await channelStates.write(next);
  return answer;
}

/** Stands for the secret of a channel that has none. */
const unusable = "unusable";

function stateAfter(
  answer: Answer,
  {
    current,
    channel,
    stamp,
  }: { readonly current: ChannelState | undefined; readonly channel: string; readonly stamp: string },
  now: EpochMs,
): ChannelState | undefined {
  switch (answer.kind) {
    case "told":
    // The channel's server works: it took the message, or refused this one.
    case "refused":
    case "gone":
      return afterSuccess(current, channel, now);
    case "later":
      return afterFailure(current, channel, { why: answer.why, asked: answer.after }, now);
    case "off":
      return turnedOff(current, channel, { why: answer.why, stamp }, now);
  }
}

function pausedFor({ until, why }: { readonly until: EpochMs; readonly why: string }, now: EpochMs): Answer {
  return { kind: "later", why, after: since(now, until) };
}

/** What happened to a delivery that can't be made now. */
export type Postponed =
  | { readonly kind: "later"; readonly at: EpochMs; readonly failure: Error }
  /** Nobody was told. */
  | { readonly kind: "untold"; readonly failure: Error };

/** Sends a delivery again later. Gives it up if it is too old, or if only a person can help. */
export async function postpone(
  command: Deliver,
  channel: Channel,
  answer: Exclude<Answer, { kind: "told" }>,
  ports: Pick<Ports, "channelStates" | "clock" | "metrics" | "queues">,
): Promise<Postponed> {
  const now = ports.clock.now();
  const { attempt = 0, since: begun = now } = command;
  const pause = answer.kind === "later" ? tryAgainAfter(attempt + 1, answer.after) : undefined;
  if (pause === undefined || since(begun, plus(now, pause)) > channel.givesUpAfter) {
    await countUntold(channel, ports, answer.kind !== "off");
    return { kind: "untold", failure: new TransientError(`${channel.name}: ${answer.why}`) };
  }
  await ports.queues.send([{ command: { ...command, attempt: attempt + 1, since: begun }, delay: withinDelay(pause) }]);
  return { kind: "later", at: plus(now, pause), failure: new TransientError(`${channel.name}: ${answer.why}`) };
}

async function countUntold(
  { name, kind }: Channel,
  { channelStates, metrics }: Pick<Ports, "channelStates" | "metrics">,
  isStored: boolean,
): Promise<void> {
  metrics.add("ChannelUntold", 1, { channel: name, kind });
  if (isStored) await channelStates.write(afterUntold(await channelStates.read(name), name));
}

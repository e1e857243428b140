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
import { offPause, owedFor, owedPause, tryAgainAfter, withinDelay } from "#domain/notify/told";
import { type DurationMs, type EpochMs, plus, seconds, since } from "#domain/shared/time";
import { TransientError } from "#ports/errors";
import type { Deliver } from "#domain/update/commands";
import type { Answer, Channel, OpenedChannel, Sender } from "#ports/channels";
import type { Ports } from "../shared/ports.ts";

/** One call of a channel's sender. */
type Call<Form extends Sender["form"]> = (sender: Extract<Sender, { form: Form }>) => Promise<Answer>;

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
  const opened = await openedNow(channel);
  if (opened.kind === "unread") return { kind: "later", why: opened.why };
  const state = await channelStates.read(channel.name);
  if (opened.kind === "unusable") {
    if (state?.offWith !== unusable || state.why !== opened.why)
      await channelStates.write(turnedOff(state, channel.name, { why: opened.why, stamp: unusable }, clock.now()));
    return { kind: "off", why: opened.why };
  }
  const admitted = await admit(state, opened.stamp, ports);
  if ("refusal" in admitted) return admitted.refusal;
  const { answer, stamp } = await ask(channel, opened, (sender) => call(sender as Extract<Sender, { form: Form }>));
  metrics.add(answer.kind === "told" ? "ChannelTold" : "ChannelFailed", 1, {
    channel: channel.name,
    kind: channel.kind,
  });
  const next = stateAfter(answer, { current: admitted.state, channel: channel.name, stamp }, clock.now());
  // If another run stored its own answer first, that answer counts.
  if (next !== undefined) await channelStates.write(next);
  return answer;
}

/** A channel whose secret can't be read for a while. */
interface UnreadChannel {
  readonly kind: "unread";
  readonly why: string;
}

/** Opens a channel. A secret that can't be read for a while is no error of the delivery. */
export async function openedNow(channel: Channel, isFresh = false): Promise<OpenedChannel | UnreadChannel> {
  try {
    return await channel.open(isFresh);
  } catch (error) {
    if (!(error instanceof TransientError)) throw error;
    return { kind: "unread", why: `its secret can't be read now: ${error.message}` };
  }
}

/** Returns the state with which a channel is asked, or the answer of its breaker. */
async function admit(
  state: ChannelState | undefined,
  stamp: string,
  { channelStates, clock }: Pick<Ports, "channelStates" | "clock">,
): Promise<{ readonly state: ChannelState | undefined } | { readonly refusal: Answer }> {
  const now = clock.now();
  const admission = admissionOf(state, stamp, now);
  if (admission.kind === "off") return { refusal: { kind: "off", why: admission.why } };
  if (admission.kind === "later") return { refusal: pausedFor(admission, now) };
  if (state === undefined || !isProbe(state, now)) return { state };
  const probe = probing(state, now);
  if (await channelStates.write(probe)) return { state: probe };
  return { refusal: pausedFor({ until: plus(now, seconds(2)), why: state.why ?? "" }, now) };
}

/** Calls the sender. If it needs a person, the secret is read again, and a new one is tried once. */
async function ask(
  channel: Channel,
  { sender, stamp }: Extract<OpenedChannel, { kind: "open" }>,
  call: (sender: Sender) => Promise<Answer>,
): Promise<{ readonly answer: Answer; readonly stamp: string }> {
  const answer = await call(sender);
  if (answer.kind !== "off") return { answer, stamp };
  const fresh = await openedNow(channel, true);
  if (fresh.kind !== "open" || fresh.stamp === stamp) return { answer, stamp };
  return { answer: await call(fresh.sender), stamp: fresh.stamp };
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
    // The channel's server works: it took the message, or refused this one.
    case "told":
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

/**
 * Sends a delivery again later, and gives it up if it is too old. If only a person can help, Lookout looks
 * again every quarter of an hour whether the person has, and sends nothing until then.
 *
 * @param isOwed - true if a message shows something that is no longer true. It is not given up so soon.
 */
export async function postpone(
  command: Deliver,
  channel: Channel,
  answer: Exclude<Answer, { kind: "told" }>,
  ports: Pick<Ports, "channelStates" | "clock" | "metrics" | "queues">,
  isOwed = false,
): Promise<Postponed> {
  const now = ports.clock.now();
  const { attempt = 0, since: begun = now } = command;
  const failure = new TransientError(`${channel.name}: ${answer.why}`);
  const usual = pauseAfterAnswer(answer, attempt + 1);
  const isLate = usual === undefined || since(begun, plus(now, usual)) > channel.givesUpAfter;
  const pause = isLate && isOwed ? owedPause : usual;
  if (pause === undefined || since(begun, plus(now, pause)) > (isOwed ? owedFor : channel.givesUpAfter)) {
    await countUntold(channel, ports, true);
    return { kind: "untold", failure };
  }
  // An alarm tells of a channel that needs a person as soon as something was not told.
  if (answer.kind === "off" && attempt === 0) await countUntold(channel, ports, false);
  const at = plus(now, pause);
  await comeAt(at, { ...command, attempt: attempt + 1, since: begun }, ports);
  return { kind: "later", at, failure };
}

function pauseAfterAnswer(answer: Exclude<Answer, { kind: "told" }>, attempt: number): DurationMs | undefined {
  if (answer.kind === "later") return tryAgainAfter(attempt, answer.after);
  return answer.kind === "off" ? offPause : undefined;
}

/** Lets a delivery come at an instant. It may come earlier, and then waits again. */
export async function comeAt(
  at: EpochMs,
  command: Deliver,
  { queues, clock }: Pick<Ports, "queues" | "clock">,
): Promise<void> {
  const delay = withinDelay(since(clock.now(), at));
  await queues.send([{ command: { ...command, notBefore: at }, delay }]);
}

async function countUntold(
  { name, kind }: Channel,
  { channelStates, metrics }: Pick<Ports, "channelStates" | "metrics">,
  isStored: boolean,
): Promise<void> {
  metrics.add("ChannelUntold", 1, { channel: name, kind });
  if (isStored) await channelStates.write(afterUntold(await channelStates.read(name), name));
}

import { type DurationMs, type EpochMs, hours, minutes, plus, seconds } from "../shared/time.ts";

/** How a channel does: its breaker, and what it could not tell. */
export interface ChannelState {
  readonly channel: string;
  /** The number of writes: the first write stores 1. */
  readonly version: number;
  /** The number of failures in a row. */
  readonly failures: number;
  /** Until then, nothing is sent. Absent while the channel works. */
  readonly openUntil?: EpochMs;
  /** Why the last sending failed. Absent while the channel works. */
  readonly why?: string;
  /** Present if a person has to act: the configuration and the secret with which the channel failed. */
  readonly offWith?: string;
  /** The instant of the first failure in a row. Absent while the channel works. */
  readonly failingSince?: EpochMs;
  /** The number of facts that were not told since the last success. */
  readonly untold: number;
  /** A success that was stored. The last success may be an hour later. */
  readonly toldAt?: EpochMs;
}

/** The failures in a row after which a channel gets a pause. */
const failuresBeforePause = 5;
const longestPause = hours(1);
/** No server asks for a longer pause. A later end is from a clock that was wrong. */
const longestAskedPause = hours(24);
/** The time of the one try after a pause, in which nothing else is sent. */
const probeFor = seconds(15);
/** A success is stored again after this time. */
const storeAgainAfter = hours(1);

/** What may be sent to a channel. */
export type Admission =
  | { readonly kind: "send" }
  /** The channel has a pause. */
  | { readonly kind: "later"; readonly until: EpochMs; readonly why: string }
  /** A person has to act before the channel tells anything. */
  | { readonly kind: "off"; readonly why: string };

/** Returns whether a channel may be asked. `stamp`: its configuration and its secret. */
export function admissionOf(state: ChannelState | undefined, stamp: string, now: EpochMs): Admission {
  if (state === undefined) return { kind: "send" };
  const why = state.why ?? "";
  if (state.offWith === stamp) return { kind: "off", why };
  if (state.openUntil !== undefined && state.openUntil > now && state.openUntil <= plus(now, longestAskedPause))
    return { kind: "later", until: state.openUntil, why };
  return { kind: "send" };
}

/** Returns whether a run has to claim the one try after a pause. */
export function isProbe(state: ChannelState | undefined, now: EpochMs): boolean {
  return state?.openUntil !== undefined && state.openUntil <= now;
}

/** Returns the state while one run tries the channel after a pause. */
export function probing(state: ChannelState, now: EpochMs): ChannelState {
  return { ...state, version: state.version + 1, openUntil: plus(now, probeFor) };
}

/** Returns the state after a success, or undefined if nothing has to be stored. */
export function afterSuccess(state: ChannelState | undefined, channel: string, now: EpochMs): ChannelState | undefined {
  const next = { channel, version: (state?.version ?? 0) + 1, failures: 0, untold: 0, toldAt: now };
  if (state?.toldAt === undefined || hadTrouble(state)) return next;
  return plus(state.toldAt, storeAgainAfter) > now ? undefined : next;
}

function hadTrouble({ failures, untold, offWith, openUntil }: ChannelState): boolean {
  return failures > 0 || untold > 0 || offWith !== undefined || openUntil !== undefined;
}

/** Returns the state after a failure that may pass. `asked`: the pause that the channel's server asks for. */
export function afterFailure(
  state: ChannelState | undefined,
  channel: string,
  { why, asked }: { readonly why: string; readonly asked?: DurationMs | undefined },
  now: EpochMs,
): ChannelState {
  const { version = 0, failures = 0, untold = 0, failingSince = now, toldAt } = state ?? {};
  const inRow = failures + 1;
  const pause = inRow < failuresBeforePause ? undefined : pauseFor(inRow - failuresBeforePause);
  const until = [asked, pause].filter((one) => one !== undefined);
  return {
    channel,
    version: version + 1,
    failures: inRow,
    ...(until.length === 0 ? {} : { openUntil: plus(now, seconds(Math.max(...until) / 1_000)) }),
    why,
    failingSince,
    untold,
    ...(toldAt === undefined ? {} : { toldAt }),
  };
}

/** Returns the state of a channel that tells nothing until a person acts. */
export function turnedOff(
  state: ChannelState | undefined,
  channel: string,
  { why, stamp }: { readonly why: string; readonly stamp: string },
  now: EpochMs,
): ChannelState {
  const { version = 0, failures = 0, untold = 0, failingSince = now, toldAt } = state ?? {};
  return {
    ...{ channel, version: version + 1, failures: failures + 1, why, offWith: stamp, failingSince, untold: untold + 1 },
    ...(toldAt === undefined ? {} : { toldAt }),
  };
}

/** Returns the state after a fact that nobody was told. */
export function afterUntold(state: ChannelState | undefined, channel: string): ChannelState {
  const { version = 0, failures = 0, untold = 0, ...others } = state ?? {};
  return { ...others, channel, version: version + 1, failures, untold: untold + 1 };
}

function pauseFor(pauses: number): DurationMs {
  return Math.min(longestPause, minutes(2 ** Math.min(pauses, 10))) as DurationMs;
}

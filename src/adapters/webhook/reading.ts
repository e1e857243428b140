import type { Handshake, PushNotice, ReceivedRequest } from "#ports/push-receiver";
import { noticeOf, type StatedPush, withoutRepeats } from "./notice.ts";

/** A notification or event without a push: nothing to do, or invalid. */
export type NoPush =
  { readonly kind: "ignored"; readonly reason: string } | { readonly kind: "invalid"; readonly reason: string };

/** The content of an authenticated notification. */
export type Reading =
  | { readonly kind: "pushes"; readonly pushes: readonly PushNotice[] }
  | NoPush
  | ({ readonly kind: "handshake" } & Handshake);

/** The reader's part of a receiver's entry in `lookout.yaml`. */
export interface ReaderSettings {
  /** The host of pushes without a host. */
  readonly registry?: string | undefined;
}

/** Reads the notifications of one kind of receiver. */
export interface NotificationReader {
  /** Reads a POST request. Never throws because of a sender. */
  read(request: ReceivedRequest, settings: ReaderSettings): Reading;
  /** Answers an OPTIONS request of senders that ask for permission. */
  readonly greet?: (request: ReceivedRequest) => Reading;
  /** Returns the bytes that a signature covers; absent: the body. */
  readonly signed?: (request: ReceivedRequest) => Uint8Array;
}

/** Returns a reading without anything to do, and why. */
export const ignored = (reason: string): NoPush => ({ kind: "ignored", reason });

/** Returns an invalid reading, and why. */
export const invalid = (reason: string): NoPush => ({ kind: "invalid", reason });

/** The content of one event of a notification. */
export type EventReading = { readonly kind: "push"; readonly push: StatedPush } | NoPush;

/** Returns the reading of an event that states a push. */
export const stated = (push: StatedPush): EventReading => ({ kind: "push", push });

/** Returns the reading of a notification that states one push. */
export function onePush(stated: StatedPush, settings: ReaderSettings): Reading {
  const notice = noticeOf(stated, settings.registry);
  if (!notice.ok) return invalid(notice.problem);
  if (notice.value === undefined) return ignored("the tag is of a signature or attestation");
  return { kind: "pushes", pushes: [notice.value] };
}

/** Returns the reading of a notification with one event. */
export function eventPush(event: EventReading, settings: ReaderSettings): Reading {
  return event.kind === "push" ? onePush(event.push, settings) : event;
}

/**
 * Returns the reading of a notification with several events. Invalid events count only if no event is
 * a push; the first of them is then the problem.
 *
 * @param list - the notification's name for the list, for people.
 */
export function allPushes(events: readonly EventReading[], list: string, settings: ReaderSettings): Reading {
  const readings = events.map((event) => eventPush(event, settings));
  const pushes = readings.flatMap((reading) => (reading.kind === "pushes" ? reading.pushes : []));
  if (pushes.length > 0) return { kind: "pushes", pushes: withoutRepeats(pushes) };
  for (const [index, reading] of readings.entries()) {
    if (reading.kind === "invalid") return invalid(`${list}[${index}]: ${reading.reason}`);
  }
  return ignored(`no push of an image among ${readings.length} events`);
}

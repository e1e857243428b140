import type { Handshake, PushNotice, ReceivedRequest } from "#ports/push-receiver";
import { noticeOf, type Told, withoutRepeats } from "./notice.ts";

/** Why a notification, or an event of it, tells of no push: there is nothing to do, or it is not of the form. */
export type NoPush =
  { readonly kind: "ignored"; readonly reason: string } | { readonly kind: "invalid"; readonly reason: string };

/** What a notification says, once it is known to be from the registry. */
export type Reading =
  | { readonly kind: "pushes"; readonly pushes: readonly PushNotice[] }
  | NoPush
  | ({ readonly kind: "handshake" } & Handshake);

/** Where it is read, of the receiver's entry in `lookout.yaml`. */
export interface ReaderSettings {
  /** The host of pushes that name none. */
  readonly registry?: string | undefined;
}

/** How the notifications of one kind are read. Its modules are loaded when a receiver of the kind is configured. */
export interface NotificationReader {
  /** Reads a POST. Never throws for what a sender can do. */
  read(request: ReceivedRequest, settings: ReaderSettings): Reading;
  /** Answers an OPTIONS, where senders ask before they send. */
  readonly greet?: (request: ReceivedRequest) => Reading;
  /** The bytes that a signature covers, where these are not the body's. */
  readonly signed?: (request: ReceivedRequest) => Uint8Array;
}

/** Nothing to do, and why. */
export const ignored = (reason: string): NoPush => ({ kind: "ignored", reason });

/** Not of the form, and what is wrong. */
export const invalid = (reason: string): NoPush => ({ kind: "invalid", reason });

/** What one event of several comes to. */
export type EventReading = { readonly kind: "told"; readonly told: Told } | NoPush;

/** An event that tells of a push. */
export const tells = (told: Told): EventReading => ({ kind: "told", told });

/** What a notification that tells of one push comes to. */
export function tellOne(told: Told, settings: ReaderSettings): Reading {
  const notice = noticeOf(told, settings.registry);
  if (!notice.ok) return invalid(notice.problem);
  if (notice.value === undefined) return ignored("the tag is of a signature or attestation");
  return { kind: "pushes", pushes: [notice.value] };
}

/** What a notification of one event comes to. */
export function tellEvent(event: EventReading, settings: ReaderSettings): Reading {
  return event.kind === "told" ? tellOne(event.told, settings) : event;
}

/**
 * What a notification of several events comes to. Events that can't be used are passed over when others can; when nothing else is there, the
 * first of them is what is wrong.
 *
 * @param list - what the notification calls the list, for people.
 */
export function tellAll(events: readonly EventReading[], list: string, settings: ReaderSettings): Reading {
  const readings = events.map((event) => tellEvent(event, settings));
  const pushes = readings.flatMap((reading) => (reading.kind === "pushes" ? reading.pushes : []));
  if (pushes.length > 0) return { kind: "pushes", pushes: withoutRepeats(pushes) };
  for (const [index, reading] of readings.entries()) {
    if (reading.kind === "invalid") return invalid(`${list}[${index}]: ${reading.reason}`);
  }
  return ignored(`no push of an image among ${readings.length} events`);
}

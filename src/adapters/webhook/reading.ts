import { imageNameOf } from "#domain/image/reference";
import type { Handshake, PushNotice, ReceiveOutcome, ReceivedRequest } from "#ports/push-receiver";
import { noticeOf, type NoticeProblem, shortIdentity, type StatedPush, withoutRepeats } from "./notice.ts";

/** A notification or event without a push: ignored or invalid. */
export type NoPush =
  { readonly kind: "ignored"; readonly reason: string } | ({ readonly kind: "invalid" } & NoticeProblem);

/** The maximum number of pushes in a notification, and the maximum number of tags in all pushes. */
const mostPushes = 100;
/** The maximum number of entries that are read from a notification's list. */
const mostRead = 1_000;

type ReadPushes = Extract<ReceiveOutcome, { kind: "pushes" }>;

/** The content of an authenticated notification. */
export type Reading = ReadPushes | NoPush | ({ readonly kind: "handshake" } & Handshake);

/** The reader's part of a receiver's entry in `lookout.yaml`. */
export interface ReaderSettings {
  /** The host for pushes that name no host. */
  readonly registry?: string | undefined;
}

/** Reads the notifications of one kind of receiver. */
export interface NotificationReader {
  /** Reads a POST request. The method never throws, whatever the sender sends. */
  read(request: ReceivedRequest, settings: ReaderSettings): Reading;
  /** Returns the answer to an OPTIONS request, with which some senders ask for permission. */
  readonly greet?: (request: ReceivedRequest) => Reading;
  /** Returns the bytes that a signature covers. The default is the body. */
  readonly signed?: (request: ReceivedRequest) => Uint8Array;
}

/** Returns an ignored reading with its reason. */
export const ignored = (reason: string): NoPush => ({ kind: "ignored", reason });

/** Returns an invalid reading with its reason. */
export const invalid = (reason: string): NoPush => ({ kind: "invalid", reason });

/** The content of one event of a notification. */
export type EventReading = { readonly kind: "push"; readonly push: StatedPush } | NoPush;

/** Returns the reading of an event that states a push. */
export const stated = (push: StatedPush): EventReading => ({ kind: "push", push });

/** Returns the reading of a notification that states one push. */
export function onePush(stated: StatedPush, settings: ReaderSettings): Reading {
  const notice = noticeOf(stated, settings.registry);
  if (!notice.ok) return { kind: "invalid", ...notice.problem };
  if (notice.value === undefined) return ignored("the tag belongs to a signature or attestation");
  return withinLimits([notice.value]);
}

/** Returns the reading of a notification with one event. */
export function eventPush(event: EventReading, settings: ReaderSettings): Reading {
  return event.kind === "push" ? onePush(event.push, settings) : event;
}

/**
 * Returns the reading of a notification with several events. If no event is a push, the function
 * returns the first invalid event as the problem. Otherwise the function ignores invalid events.
 *
 * @param events - the events. At most 1,000 are read.
 * @param list - the notification's name for the list, for messages.
 */
export function allPushes(events: Iterable<EventReading>, list: string, settings: ReaderSettings): Reading {
  const readings: Reading[] = [];
  let unread: string | undefined;
  for (const event of events) {
    if (readings.length === mostRead) {
      unread = `${list} has more than ${mostRead} entries, and only these are read`;
      break;
    }
    readings.push(eventPush(event, settings));
  }
  const pushes = readings.flatMap((reading) => (reading.kind === "pushes" ? reading.pushes : []));
  if (pushes.length > 0) return { ...(unread === undefined ? {} : { unread }), ...withinLimits(pushes) };
  for (const [index, reading] of readings.entries()) {
    if (reading.kind === "invalid") return { ...reading, reason: `${list}[${index}]: ${reading.reason}` };
  }
  return unread === undefined ? ignored(`no push of an image among ${readings.length} events`) : invalid(unread);
}

/**
 * Returns the pushes of a notification. If there are more than 100 tags, the pushes of a repository
 * become one push without tags.
 */
function withinLimits(all: readonly PushNotice[]): ReadPushes {
  const pushes = withoutRepeats(all);
  const tags = pushes.reduce((sum, push) => sum + Math.max(1, push.tags.length), 0);
  if (tags <= mostPushes) return { kind: "pushes", pushes };
  const repositories = [...Map.groupBy(pushes, imageNameOf).values()].map(ofRepository);
  const kept: ReadPushes = { kind: "pushes", pushes: repositories.slice(0, mostPushes) };
  if (repositories.length <= mostPushes) return kept;
  return {
    ...kept,
    unread: `the notification has ${repositories.length} repositories, and only the first ${mostPushes} count`,
  };
}

function ofRepository(pushes: readonly PushNotice[]): PushNotice {
  const [first] = pushes as readonly [PushNotice];
  if (pushes.length === 1 && first.tags.length <= 1) return first;
  const { registry, repository } = first;
  return { id: shortIdentity(pushes.map(({ id }) => id).join(" ")), registry, repository, tags: [] };
}

import type { DomainEvent } from "#domain/events";

/** The `source` of everything that Lookout publishes. */
export const eventSource = "lookout";

/** The form of what this Lookout publishes, and the newest that it reads. */
export const eventSchemaVersion = 1;

/** Answers an event as it is on the bus: the `detail` of its entry, whose `detail-type` is the event's name. */
export function eventDetail<Event extends DomainEvent>(
  event: Event,
): Event & { readonly schemaVersion: typeof eventSchemaVersion } {
  return { schemaVersion: eventSchemaVersion, ...event };
}

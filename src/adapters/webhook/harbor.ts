import * as z from "zod/mini";
import { anything, imageParts, instantOf, instantOfSeconds, nonEmpty, readJson, someText } from "./notice.ts";
import { type EventReading, ignored, invalid, type NotificationReader, allPushes, stated } from "./reading.ts";

const Pushed = z.object({
  resources: z.array(z.unknown()).check(z.minLength(1)),
  repository: z.nullish(z.object({ repo_full_name: someText })),
});
const Resource = z.object({ resource_url: someText, tag: someText, digest: someText });

const Notification = z.object({
  type: z.string(),
  occur_at: anything,
  time: anything,
  operator: anything,
  event_data: anything,
  data: anything,
});
type Notification = z.output<typeof Notification>;

/** The form of Harbor before 1.9, which names no registry. */
const Old = z.object({ event_type: z.string(), events: z.array(z.unknown()) });

/** The event types of Harbor's own form, of version 1, and of CloudEvents. */
const pushTypes: ReadonlySet<string> = new Set(["PUSH_ARTIFACT", "pushImage", "harbor.artifact.pushed"]);

/**
 * Reads the webhooks of Harbor in its default form and as CloudEvents, one event or a batch.
 *
 * `resource_url` names the image, with the digest when there is no tag. The reader can't tell a
 * Helm chart from an image.
 *
 * @see
 *   https://goharbor.io/docs/main/working-with-projects/project-configuration/configure-webhooks/
 */
export const reader: NotificationReader = {
  read(request, settings) {
    const content = readJson(request);
    const events: readonly unknown[] = Array.isArray(content) ? content : [content];
    return allPushes(events.values().flatMap(readEvent), "resources", settings);
  },
};

function readEvent(event: unknown): Iterable<EventReading> {
  const notification = Notification.safeParse(event);
  if (!notification.success)
    return [
      Old.safeParse(event).success
        ? ignored("the event has the format of Harbor before 1.9")
        : invalid("expected a type as JSON"),
    ];
  if (!pushTypes.has(notification.data.type)) return [ignored("the event is not a push")];
  const pushed = Pushed.safeParse(notification.data.event_data ?? notification.data.data);
  if (!pushed.success) return [invalid("expected a push with its resources")];
  const { resources, repository } = pushed.data;
  return resources.values().map((resource) => readResource(resource, repository?.repo_full_name, notification.data));
}

function readResource(
  resource: unknown,
  repository: string | null | undefined,
  { occur_at: occurred, time, operator: actor }: Notification,
): EventReading {
  const read = Resource.safeParse(resource);
  if (!read.success) return invalid("expected resource_url, tag and digest to be texts");
  const { resource_url: address, tag, digest } = read.data;
  const whole = imageParts(nonEmpty(address) ?? `/${repository ?? ""}`);
  const references = whole.references.some((reference) => nonEmpty(reference) !== undefined) ? whole.references : [tag];
  return stated({ ...whole, references, digest, pushedAt: instantOfSeconds(occurred) ?? instantOf(time), actor });
}

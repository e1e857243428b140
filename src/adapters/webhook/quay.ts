import * as z from "zod/mini";
import { imageParts, nonEmpty, readJson, someText } from "./notice.ts";
import { ignored, invalid, type NotificationReader, type Reading, onePush } from "./reading.ts";

const Notification = z.object({
  repository: someText,
  namespace: someText,
  docker_url: someText,
  // Old versions send an object with tags as keys.
  updated_tags: z.nullish(z.union([z.array(z.string()), z.record(z.string(), z.unknown())])),
});

/**
 * Reads the notifications of Quay. The notifications do not state their type. A notification with
 * `updated_tags` is a push.
 *
 * @see https://docs.quay.io/guides/notifications.html
 */
export const reader: NotificationReader = {
  read(request, { registry = "quay.io" }) {
    const body = Notification.safeParse(readJson(request));
    if (!body.success) return invalid("expected a notification as JSON");
    const { updated_tags: updated, docker_url: address, repository, namespace } = body.data;
    if (updated === undefined || updated === null) {
      const isKnown = nonEmpty(repository ?? namespace) !== undefined;
      return isKnown
        ? ignored("the event is not a push")
        : invalid("the notification names neither a repository nor updated_tags");
    }
    const tags = Array.isArray(updated) ? updated : Object.keys(updated);
    return tags.length === 0
      ? ignored("no tag was updated")
      : readPush(nonEmpty(address) ?? `${registry}/${repository ?? ""}`, tags);
  },
};

function readPush(address: string, references: readonly string[]): Reading {
  const { host, path } = imageParts(address);
  if (references.includes("")) return invalid("a tag of updated_tags is empty");
  return host === "" ? invalid("docker_url names no repository") : onePush({ host, path, references }, {});
}

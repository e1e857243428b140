import * as z from "zod/mini";
import { nonEmpty, readJson, someText } from "./notice.ts";
import { ignored, invalid, type NotificationReader, onePush } from "./reading.ts";

/** A push. Lookout does not read `pushed_at`, because it has no time zone. */
const Push = z.object({
  push_data: z.object({ tag: someText, digest: someText }),
  repository: z.object({ repo_full_name: someText, namespace: someText, name: someText, region: someText }),
});

/** An event of Alibaba's EventBridge. None of these events is an image push. */
const CloudEvent = z.object({ specversion: z.string(), type: z.string() });

/**
 * Reads the webhooks of Alibaba Cloud's registry.
 *
 * The region determines the host. An Enterprise instance has its own host, which must be in the
 * webhook's address (`registry_url`) or in the receiver's `registry`.
 */
export const reader: NotificationReader = {
  read(request, settings) {
    const content = readJson(request);
    if (CloudEvent.safeParse(content).success) return ignored("the event is not a push");
    const body = Push.safeParse(content);
    if (!body.success) return invalid("expected push_data and repository as JSON");
    const { push_data: push, repository } = body.data;
    const path = nonEmpty(repository.repo_full_name) ?? `${repository.namespace ?? ""}/${repository.name ?? ""}`;
    const regional = nonEmpty(repository.region) && `registry.${repository.region ?? ""}.aliyuncs.com`;
    const host = nonEmpty(request.query["registry_url"]) ?? settings.registry ?? regional;
    return onePush({ host, path, references: [push.tag], digest: push.digest }, settings);
  },
};

import * as z from "zod/mini";
import { nonEmpty, readJson, someText } from "./notice.ts";
import { ignored, invalid, type NotificationReader, tellOne } from "./reading.ts";

/** `pushed_at` has no zone, and is of no use. */
const Push = z.object({
  push_data: z.object({ tag: someText, digest: someText }),
  repository: z.object({ repo_full_name: someText, namespace: someText, name: someText, region: someText }),
});

/** The same registry tells of more by EventBridge, Alibaba's: of nothing that is a push of an image. */
const CloudEvent = z.object({ specversion: z.string(), type: z.string() });

/**
 * Reads the webhooks of Alibaba Cloud's registry.
 *
 * The host follows from the region. An instance of the Enterprise Edition has one of its own, which nothing names but `registry_url` in the
 * address that was entered there, or the receiver's registry.
 */
export const reader: NotificationReader = {
  read(request, settings) {
    const content = readJson(request);
    if (CloudEvent.safeParse(content).success) return ignored("it is no push");
    const body = Push.safeParse(content);
    if (!body.success) return invalid("expected push_data and repository as JSON");
    const { push_data: push, repository } = body.data;
    const path = nonEmpty(repository.repo_full_name) ?? `${repository.namespace ?? ""}/${repository.name ?? ""}`;
    const regional = nonEmpty(repository.region) && `registry.${repository.region ?? ""}.aliyuncs.com`;
    const host = nonEmpty(request.query["registry_url"]) ?? settings.registry ?? regional;
    return tellOne({ host, path, references: [push.tag], digest: push.digest }, settings);
  },
};

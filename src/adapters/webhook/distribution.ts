import * as z from "zod/mini";
import { isTag } from "#domain/image/reference";
import { isManifest } from "./media-type.ts";
import { anything, hostOf, instantOf, nonEmpty, readJson, someText, type StatedPush, text } from "./notice.ts";
import { type EventReading, ignored, invalid, type NotificationReader, allPushes, stated } from "./reading.ts";

const Envelope = z.object({ events: z.array(z.unknown()) });
/** A webhook of a GitLab project. */
const OtherWebhook = z.object({ object_kind: z.string() });
const AnyEvent = z.object({ action: z.string() });
const PushOfAnything = z.object({ target: z.object({ mediaType: someText }) });

/** Source: https://github.com/distribution/distribution/blob/main/notifications/event.go */
const ManifestPush = z.object({
  id: anything,
  timestamp: anything,
  target: z.object({ repository: z.string(), digest: text, tag: someText, url: someText }),
  request: z.nullish(z.object({ host: someText })),
  actor: anything,
});
type ManifestPush = z.output<typeof ManifestPush>;

const Named = z.object({ name: z.string() });

/**
 * Reads the notifications of the distribution registry and of registries built on it, such as a
 * self-managed GitLab's.
 *
 * The reader ignores all events except pushes of manifests and indexes. The host comes from the
 * pusher's request, else from the manifest's URL.
 *
 * @see https://distribution.github.io/distribution/about/notifications/
 */
export const reader: NotificationReader = {
  read(request, settings) {
    const content = readJson(request);
    if (OtherWebhook.safeParse(content).success) return ignored("GitLab's own webhooks report no image");
    const envelope = Envelope.safeParse(content);
    if (!envelope.success) return invalid('expected {"events": […]} as JSON');
    return allPushes(envelope.data.events.values().map(readEvent), "events", settings);
  },
};

function readEvent(event: unknown): EventReading {
  const any = AnyEvent.safeParse(event);
  if (!any.success) return invalid("expected an event with an action");
  if (any.data.action !== "push") return ignored("the event is not a push");
  const target = PushOfAnything.safeParse(event);
  if (!target.success) return invalid("expected a push with a target and its mediaType");
  if (!isManifest(target.data.target.mediaType ?? "")) return ignored("the event is not a push of a manifest");
  const push = ManifestPush.safeParse(event);
  if (push.success) return stated(statedPush(push.data));
  return invalid(`${push.error.issues[0]?.path.join(".") ?? "the event"} is invalid`);
}

function statedPush({ id, timestamp, target, request, actor }: ManifestPush): StatedPush {
  return {
    id,
    host: nonEmpty(request?.host) ?? hostOf(target.url),
    path: target.repository,
    references: [nonEmpty(target.tag) ?? tagInUrl(target)],
    digest: target.digest,
    pushedAt: instantOf(timestamp),
    actor: Named.safeParse(actor).data?.name,
  };
}

/**
 * Reads the tag from the push URL `…/v2/<repository>/manifests/<tag>`, for envelopes of version 1.
 */
function tagInUrl({ url, repository }: ManifestPush["target"]): string | undefined {
  const before = `/v2/${repository}/manifests/`;
  const at = url?.lastIndexOf(before) ?? -1;
  const last = at < 0 ? undefined : url?.slice(at + before.length);
  return last !== undefined && isTag(last) ? last : undefined;
}

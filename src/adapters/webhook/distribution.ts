import * as z from "zod/mini";
import { isTag } from "#domain/image/reference";
import { isManifest } from "./media-type.ts";
import { anything, hostOf, instantOf, nonEmpty, readJson, someText, type Told, text } from "./notice.ts";
import { type EventReading, ignored, invalid, type NotificationReader, tellAll, tells } from "./reading.ts";

const Envelope = z.object({ events: z.array(z.unknown()) });
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
 * Reads the notifications of the distribution registry and of registries built on it (GitLab's, self-managed).
 *
 * Of an envelope only pushes of manifests and indexes count. The host is the one that the pusher asked for, else the one of the manifest's
 * URL.
 *
 * @see https://distribution.github.io/distribution/about/notifications/
 */
export const reader: NotificationReader = {
  read(request, settings) {
    const envelope = Envelope.safeParse(readJson(request));
    if (!envelope.success) return invalid('expected {"events": […]} as JSON');
    return tellAll(envelope.data.events.map(readEvent), "events", settings);
  },
};

function readEvent(event: unknown): EventReading {
  const any = AnyEvent.safeParse(event);
  if (!any.success) return invalid("expected an event with an action");
  if (any.data.action !== "push") return ignored("it is no push");
  const target = PushOfAnything.safeParse(event);
  if (!target.success) return invalid("expected a push with a target and its mediaType");
  if (!isManifest(target.data.target.mediaType ?? "")) return ignored("it is no push of a manifest");
  const push = ManifestPush.safeParse(event);
  if (push.success) return tells(toldBy(push.data));
  return invalid(`${push.error.issues[0]?.path.join(".") ?? "the event"} is not of the form`);
}

function toldBy({ id, timestamp, target, request, actor }: ManifestPush): Told {
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

/** Envelopes of version 1 name the tag only in the URL that was pushed to: `…/v2/<repository>/manifests/<tag>`. */
function tagInUrl({ url, repository }: ManifestPush["target"]): string | undefined {
  const before = `/v2/${repository}/manifests/`;
  const at = url?.lastIndexOf(before) ?? -1;
  const last = at < 0 ? undefined : url?.slice(at + before.length);
  return last !== undefined && isTag(last) ? last : undefined;
}

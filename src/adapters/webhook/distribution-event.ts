import * as z from "zod/mini";
import { parseRepository } from "#contracts/registry-host";
import { isDigest, isTag } from "#domain/image-reference";
import { type EpochMs, parseInstant } from "#domain/time";
import type { PushNotice } from "#ports/push-receiver";
import { identityOfPushed, isCompanion, type Pushed } from "./notice.ts";

/** What one event of an envelope says. */
export type EventReading =
  | { readonly kind: "push"; readonly push: PushNotice }
  | { readonly kind: "other" }
  | { readonly kind: "malformed"; readonly reason: string };

/** Layers, configurations and everything else that a registry stores are pushed too; these are what a tag can name. */
const manifestTypes: ReadonlySet<string> = new Set([
  "application/vnd.docker.distribution.manifest.v1+json",
  "application/vnd.docker.distribution.manifest.v1+prettyjws",
  "application/vnd.docker.distribution.manifest.v2+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
  "application/vnd.oci.image.manifest.v1+json",
  "application/vnd.oci.image.index.v1+json",
]);

const AnyEvent = z.object({ action: z.string() });
const PushOfAnything = z.object({ target: z.object({ mediaType: z.nullish(z.string()) }) });

/** Source: https://github.com/distribution/distribution/blob/main/notifications/event.go */
const ManifestPush = z.object({
  id: z.unknown(),
  timestamp: z.unknown(),
  target: z.object({
    repository: z.string(),
    digest: z.string(),
    tag: z.nullish(z.string()),
    url: z.nullish(z.string()),
  }),
  request: z.nullish(z.object({ host: z.nullish(z.string()) })),
  actor: z.unknown(),
});
type ManifestPush = z.output<typeof ManifestPush>;

/**
 * Reads one event of the envelope.
 *
 * The host is the one that the pusher asked for, else the one of the manifest's URL, else the receiver's.
 */
export function readEvent(event: unknown, configured: string | undefined): EventReading {
  const any = AnyEvent.safeParse(event);
  if (!any.success) return malformed("expected an event with an action");
  if (any.data.action !== "push") return { kind: "other" };
  const target = PushOfAnything.safeParse(event);
  if (!target.success) return malformed("expected a push with a target and its mediaType");
  const mediaType = target.data.target.mediaType?.split(";", 1)[0]?.trim().toLowerCase();
  if (mediaType === undefined || !manifestTypes.has(mediaType)) return { kind: "other" };
  const push = ManifestPush.safeParse(event);
  if (!push.success) return malformed(`${push.error.issues[0]?.path.join(".") ?? "the event"} is not of the form`);
  return readManifestPush(push.data, configured);
}

function readManifestPush(event: ManifestPush, configured: string | undefined): EventReading {
  const { digest, url, repository } = event.target;
  const host = nonEmpty(event.request?.host) ?? hostOf(url) ?? configured;
  if (host === undefined) return malformed("it names no host, and the receiver has no registry");
  const image = parseRepository(host, repository);
  if (image === undefined) return malformed("request.host and target.repository do not name a repository");
  if (!isDigest(digest)) return malformed("target.digest is not a digest");
  const tag = nonEmpty(event.target.tag) ?? tagInUrl(event.target);
  if (tag === undefined) return { kind: "push", push: noticeOf(event, { ...image, digest }) };
  if (!isTag(tag)) return malformed("target.tag is not a tag");
  return isCompanion(tag) ? { kind: "other" } : { kind: "push", push: noticeOf(event, { ...image, tag, digest }) };
}

function noticeOf({ id, timestamp, actor }: ManifestPush, pushed: Pushed): PushNotice {
  const [pushedAt, name] = [instantOf(timestamp), actorOf(actor)];
  return {
    id: identityOf(id) ?? identityOfPushed(pushed),
    ...pushed,
    ...(pushedAt === undefined ? {} : { pushedAt }),
    ...(name === undefined ? {} : { actor: name }),
  };
}

/** Envelopes of version 1 name the tag only in the URL that was pushed to: `…/v2/<repository>/manifests/<tag>`. */
function tagInUrl({ url, repository }: ManifestPush["target"]): string | undefined {
  const before = `/v2/${repository}/manifests/`;
  const at = url?.lastIndexOf(before) ?? -1;
  const last = at < 0 ? undefined : url?.slice(at + before.length);
  return last !== undefined && isTag(last) ? last : undefined;
}

function hostOf(url: string | null | undefined): string | undefined {
  const parsed = url === null || url === undefined ? null : URL.parse(url);
  return parsed?.protocol === "https:" || parsed?.protocol === "http:" ? parsed.host : undefined;
}

/** Go writes the first of January of the year 1 where it has no time. */
function instantOf(timestamp: unknown): EpochMs | undefined {
  if (typeof timestamp !== "string" || timestamp.startsWith("0001-01-01T00:00:00")) return undefined;
  return parseInstant(timestamp);
}

/** People see the name, so it must be short and of characters that only show themselves. */
function actorOf(actor: unknown): string | undefined {
  const named = z.object({ name: z.string().check(z.minLength(1), z.maxLength(256)) }).safeParse(actor);
  return named.success && !/\p{C}|\p{Zl}|\p{Zp}/u.test(named.data.name) ? named.data.name : undefined;
}

/** It goes into keys of messages: an identity of any other form is passed over. */
function identityOf(id: unknown): string | undefined {
  return typeof id === "string" && /^[\x21-\x7e]{1,128}$/.test(id) ? id : undefined;
}

function nonEmpty(text: string | null | undefined): string | undefined {
  return text === null || text === "" ? undefined : text;
}

function malformed(reason: string): EventReading {
  return { kind: "malformed", reason };
}

import * as z from "zod/mini";
import { isDigest, isTag, parseImageReference } from "#domain/image/reference";
import { ok, problem, type Result } from "#domain/shared/result";
import { plainHost, readJson, text } from "./notice.ts";
import { invalid, type NotificationReader, onePush } from "./reading.ts";

/** A build's notification. Senders that were made for Keel write the registry into `host`. */
const Notification = z.object({
  name: z.string(),
  tag: z.string(),
  digest: z.nullish(text),
  registry: z.nullish(z.string()),
  host: z.nullish(z.string()),
});

const form = 'expected {"name", "tag"} and optionally "digest" and "registry", all texts, as JSON';

/**
 * Reads Lookout's own format for builds: `{name, tag, digest?, registry?}`. The host is in the
 * name, in the body's `registry` or in the receiver's `registry`.
 */
export const reader: NotificationReader = {
  read(request, settings) {
    const body = Notification.safeParse(readJson(request));
    if (!body.success) return invalid(form);
    const { name, tag, digest, registry, host } = body.data;
    if (!isTag(tag) && !isDigest(tag)) return invalid("tag is invalid");
    const image = imageOf(name, registry ?? host ?? undefined);
    return image.ok ? onePush({ ...image.value, references: [tag], digest }, settings) : invalid(image.problem);
  },
};

interface Image {
  readonly host: string | undefined;
  readonly path: string;
}

function imageOf(name: string, stated: string | undefined): Result<Image, string> {
  const { host, path } = splitName(name);
  if (host !== undefined && stated !== undefined && !isSameHost(host, stated)) {
    return problem("the host in name differs from registry");
  }
  return ok({ host: host ?? stated, path });
}

function isSameHost(one: string, other: string): boolean {
  return plainHost(one).toLowerCase() === plainHost(other).toLowerCase();
}

/**
 * Splits a name into host and path. The rules of image references decide whether the first part is
 * a host. A
 * scheme before the host is dropped.
 */
function splitName(written: string): Image {
  const name = written.replace(/^https?:\/\//i, "");
  const slash = name.indexOf("/");
  const first = name.slice(0, Math.max(slash, 0));
  // Only the first part is parsed, because the path may have capitals.
  const parsed = parseImageReference(`${first}/any/name`);
  const named = slash > 0 && parsed.ok && parsed.value.repository === "any/name";
  return named ? { host: first, path: name.slice(slash + 1) } : { host: undefined, path: name };
}

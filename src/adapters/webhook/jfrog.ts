import * as z from "zod/mini";
import { parseRegistryHost } from "#contracts/config/registry-host";
import { anything, hostOf, nonEmpty, plainHost, readJson, someText, text } from "./notice.ts";
import { ignored, invalid, type NotificationReader, onePush } from "./reading.ts";

const AnyEvent = z.object({ domain: z.string(), event_type: z.string() });

const Push = z.object({
  data: z.object({
    repo_key: text,
    path: z.string(),
    tag: someText,
    sha256: someText,
  }),
  jpd_origin: someText,
  source: anything,
});

/**
 * Reads the Docker webhooks of JFrog Artifactory. Images that a cache fetches are not pushes.
 *
 * @see https://jfrog.com/help/r/jfrog-platform-administration-documentation/docker-events
 */
export const reader: NotificationReader = {
  read(request, settings) {
    const content = readJson(request);
    const any = AnyEvent.safeParse(content);
    if (!any.success) return invalid("expected domain and event_type as JSON");
    if (any.data.domain !== "docker" || any.data.event_type !== "pushed")
      return ignored("the event is not a push of an image");
    const push = Push.safeParse(content);
    if (!push.success) return invalid("expected a push with repo_key and path");
    const { data, jpd_origin: origin, source: actor } = push.data;
    const path = data.path.split("/");
    const image = path.slice(0, -2);
    const file = path.at(-1) ?? "";
    if (image.length === 0) return invalid("data.path is not of the form image/tag/manifest");
    if (data.repo_key.endsWith("-cache")) return ignored("a cache fetched the image");
    if (!file.endsWith("manifest.json")) return ignored("the event is not a push of an image");
    const stated = {
      host: hostOf(origin) ?? bareHost(origin),
      path: [data.repo_key, ...image].join("/"),
      // The path names the tag too.
      references: [asDigest(nonEmpty(data.tag) ?? path.at(-2) ?? "")],
    };
    return onePush({ ...stated, digest: digestOf(data.sha256), actor }, settings);
  },
};

/** Returns a host that is written without a scheme; undefined for other texts. */
function bareHost(origin: string | null | undefined): string | undefined {
  const host = plainHost(origin ?? "");
  return parseRegistryHost(host) === undefined ? undefined : host;
}

/** Returns the digest of hexadecimal digits, which may have the algorithm before them. */
function digestOf(sha256: string | null | undefined): string | undefined {
  return sha256 ? `sha256:${sha256.replace(/^sha256:/, "")}` : undefined;
}

/** Restores the colon of a digest, which JFrog writes as `__` in place of a missing tag. */
function asDigest(tag: string): string {
  return tag.replace(/^(sha\d{3})__/, "$1:");
}

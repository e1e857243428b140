import * as z from "zod/mini";
import { parseRepository } from "#contracts/registry-host";
import { isDigest, isTag, parseImageReference } from "#domain/image-reference";
import { ok, problem, type Result } from "#domain/result";
import type { PushReceiver, Received, ReceivedRequest } from "#ports/push-receiver";
import { refuseSignature } from "./authentication.ts";
import { identityOfPushed, isCompanion, type Pushed, readJson } from "./notice.ts";
import type { ReceiverSettings } from "./settings.ts";

/** What a build sends. Other members are passed over. */
const Notification = z.object({
  name: z.string(),
  tag: z.string(),
  digest: z.nullish(z.string()),
  registry: z.nullish(z.string()),
});

const form = 'expected {"name", "tag"} and optionally "digest" and "registry", all texts, as JSON';

/**
 * Reads Lookout's own contract, for what pushes images and is no registry: `{name, tag, digest?, registry?}`, signed with an HMAC in `X-Signature`.
 *
 * A name without a host is of the body's `registry`, else of the receiver's. The push's identity is what was pushed.
 */
export function genericReceiver(settings: ReceiverSettings): PushReceiver {
  return {
    source: "webhook generic",
    receive(request) {
      const refusal = refuseSignature(request, settings.secret);
      return refusal === undefined ? read(request, settings) : { kind: "unauthorized", reason: refusal };
    },
  };
}

function read(request: ReceivedRequest, settings: ReceiverSettings): Received {
  if (request.method !== "POST") return invalid("expected a POST");
  const body = Notification.safeParse(readJson(request));
  if (!body.success) return invalid(form);
  const pushed = pushedBy(body.data, settings.registry);
  if (!pushed.ok) return invalid(pushed.problem);
  if (isCompanion(body.data.tag)) return { kind: "ignored", reason: "the tag is of a signature or attestation" };
  return { kind: "pushes", pushes: [{ id: identityOfPushed(pushed.value), ...pushed.value }] };
}

function pushedBy(body: z.output<typeof Notification>, configured: string | undefined): Result<Pushed, string> {
  const { name, tag, digest, registry } = body;
  if (!isTag(tag)) return problem("tag is not a tag");
  if (typeof digest === "string" && !isDigest(digest)) {
    return problem("digest is not a digest; expected sha256:<64 lower-case hexadecimal digits>, or none");
  }
  const image = imageOf(name, registry ?? undefined, configured);
  return image.ok ? ok({ ...image.value, tag, ...(typeof digest === "string" ? { digest } : {}) }) : image;
}

function imageOf(
  name: string,
  stated: string | undefined,
  configured: string | undefined,
): Result<Pick<Pushed, "registry" | "repository">, string> {
  const { host, path } = splitName(name);
  if (host !== undefined && stated !== undefined && host.toLowerCase() !== stated.toLowerCase()) {
    return problem("name begins with another host than registry");
  }
  const registry = host ?? stated ?? configured;
  if (registry === undefined) {
    return problem("name has no host, and neither the body nor the receiver names a registry");
  }
  const image = parseRepository(registry, path);
  return image === undefined ? problem("name (with registry) is not a repository") : ok(image);
}

/** The first part is a host where image references would read one. */
function splitName(name: string): { readonly host?: string; readonly path: string } {
  const slash = name.indexOf("/");
  const first = name.slice(0, Math.max(slash, 0));
  // A registry's host may be written in capitals, which the reference grammar's path may not.
  const parsed = parseImageReference(`${first}/any/name`);
  const named = slash > 0 && parsed.ok && parsed.value.repository === "any/name";
  return named ? { host: first, path: name.slice(slash + 1) } : { path: name };
}

function invalid(reason: string): Received {
  return { kind: "invalid", reason, retriedForEver: false };
}

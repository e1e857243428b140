import { createHash } from "node:crypto";
import { artifactOf, isAttestation, isSchema1 } from "#domain/image/artifact";
import { originOf } from "#domain/image/origin";
import { isDigest } from "#domain/image/reference";
import { parseInstant } from "#domain/shared/time";
import type { ConfigRead, ManifestRead } from "#ports/registry";
import { isObject, parseJson } from "#domain/shared/json";

/** The media types of deployable manifests, without those of signatures and attestations. */
export const manifestTypes = [
  "application/vnd.oci.image.index.v1+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
  "application/vnd.oci.image.manifest.v1+json",
  "application/vnd.docker.distribution.manifest.v2+json",
].join(", ");

/** The maximum bytes of an image's configuration, which contains the image's history. */
export const longestConfigBytes = 1024 * 1024;

/** Returns the digest of content. The algorithm may also be sha384 or sha512. */
export function digestOf(content: Uint8Array, algorithm = "sha256"): string {
  return `${algorithm}:${createHash(algorithm).update(content).digest("hex")}`;
}

/** Returns whether content has a digest. Returns false for an unknown algorithm. */
export function hashesTo(content: Uint8Array, digest: string): boolean {
  return isDigest(digest) && digestOf(content, digest.slice(0, digest.indexOf(":"))) === digest;
}

/** The platforms of a manifest, as a registry's answer has them. */
export type ManifestPlatforms = Pick<
  Extract<ManifestRead, { kind: "manifest" }>,
  "platforms" | "offers" | "config" | "artifact" | "origin"
>;

/**
 * Returns the distinct platforms of an index, in its order and without attestations. For a single
 * image it returns the digest of the configuration. Both may turn out to be an artifact.
 *
 * Returns undefined for a document that is neither an index nor an image, or that is both.
 *
 * @see https://github.com/opencontainers/image-spec/blob/main/image-index.md
 */
export function platformsOf(content: Buffer): ManifestPlatforms | undefined {
  const document = parseObject(content);
  if (document === undefined) return undefined;
  const isIndex = "manifests" in document;
  const isImage = "layers" in document || "config" in document || isSchema1(document);
  // Clients read a document that is both an index and an image in different ways (CVE-2021-41190).
  if (isIndex === isImage) return undefined;
  const artifact = artifactOf(document);
  const described = isIndex ? childrenOf(document["manifests"]) : { platforms: [], ...configOf(document["config"]) };
  const origin = originOf(document["annotations"]);
  return described && { ...described, ...(artifact && { artifact }), ...(origin && { origin }) };
}

/** Returns the platform, the instant of the build and the origin in the configuration of an image. */
export function describedByConfig(
  content: Buffer,
): Pick<Extract<ConfigRead, { kind: "config" }>, "platform" | "createdAt" | "origin"> {
  const document = parseObject(content);
  const platform = platformText(document);
  const created = document?.["created"];
  const createdAt = typeof created === "string" ? parseInstant(created) : undefined;
  const own = document?.["config"];
  const origin = originOf(isObject(own) ? own["Labels"] : undefined);
  return {
    ...(origin && { origin }),
    ...(platform === undefined ? {} : { platform }),
    ...(createdAt === undefined || createdAt < firstBuild ? {} : { createdAt }),
  };
}

/** Reproducible builds state an earlier, fixed instant: mostly the start of 1970 or 1980. */
const firstBuild = Date.UTC(2013, 0);

function configOf(config: unknown): Pick<ManifestPlatforms, "config"> {
  const digest = isObject(config) ? config["digest"] : undefined;
  return typeof digest === "string" && isDigest(digest) ? { config: digest } : {};
}

/**
 * Returns the entries of one page of a listing, which may not all be tags. For an invalid page, the
 * result is a text that follows the page's name and says what is wrong.
 *
 * Go programs may write an empty list as null, or omit it.
 */
export function entriesOfPage(content: Buffer): readonly unknown[] | string {
  const document = parseObject(content);
  if (document === undefined) return "without a JSON object";
  const { name, tags, errors } = document;
  const isOmitted = tags === undefined && typeof name === "string" && errors === undefined;
  if (tags === null || isOmitted) return [];
  return Array.isArray(tags) ? (tags as readonly unknown[]) : "without a list of tags";
}

/**
 * The maximum number of commas and opening brackets. No manifest or page of tags has more. 30 MB of
 * brackets alone would become gigabytes of objects.
 */
const mostParts = 500_000;

/**
 * Parses content as a JSON object. Returns undefined for other content, and for an object with too
 * many parts.
 */
export function parseObject(content: Buffer): Readonly<Record<string, unknown>> | undefined {
  if (partsOf(content) > mostParts) return undefined;
  // Some servers write a byte order mark first, which JSON does not allow.
  const value = parseJson(content.toString("utf8").replace(/^\uFEFF/, ""));
  return isObject(value) ? value : undefined;
}

/** Counts commas and opening brackets, in strings too. */
export function partsOf(content: Buffer): number {
  let parts = 0;
  for (let at = 0; at < content.length; at += 1) {
    const byte = content[at];
    if (byte === 0x2c || byte === 0x5b || byte === 0x7b) parts += 1;
  }
  return parts;
}

function childrenOf(manifests: unknown): ManifestPlatforms | undefined {
  if (!Array.isArray(manifests)) return undefined;
  const digests = new Set<string>();
  const offers = new Set<string>();
  for (const child of manifests as readonly unknown[]) {
    if (!isObject(child) || typeof child["digest"] !== "string" || !isDigest(child["digest"])) return undefined;
    if (isAttestation(child)) continue;
    digests.add(child["digest"]);
    const offer = platformText(child["platform"]);
    if (offer !== undefined && offers.size < mostOffers) offers.add(offer);
  }
  return { platforms: [...digests], offers: [...offers] };
}

/** The maximum number of platforms in an index, more than Kubernetes supports. */
const mostOffers = 100;

/** Returns `os/architecture[/variant]`, or undefined for an incomplete platform. */
function platformText(platform: unknown): string | undefined {
  if (!isObject(platform)) return undefined;
  const { os, architecture, variant } = platform;
  const text = [os, architecture, ...(variant === undefined || variant === "" ? [] : [variant])].join("/");
  return /^[a-z0-9]{1,20}(?:\/[a-z0-9]{1,20}){1,2}$/.test(text) ? text : undefined;
}

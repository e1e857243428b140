import { createHash } from "node:crypto";
import { isDigest, isTag } from "#domain/image/reference";
import { isObject, parseJson } from "#domain/shared/json";

/** The manifests that can be deployed. Signature and attestation formats are not asked for. */
export const manifestTypes = [
  "application/vnd.oci.image.index.v1+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
  "application/vnd.oci.image.manifest.v1+json",
  "application/vnd.docker.distribution.manifest.v2+json",
].join(", ");

/** Answers the digest of content, by sha256 unless another algorithm (sha384, sha512) is named. */
export function digestOf(content: Uint8Array, algorithm = "sha256"): string {
  return `${algorithm}:${createHash(algorithm).update(content).digest("hex")}`;
}

/** Answers whether content is what a digest names. A digest of an unknown algorithm names nothing. */
export function hashesTo(content: Uint8Array, digest: string): boolean {
  return isDigest(digest) && digestOf(content, digest.slice(0, digest.indexOf(":"))) === digest;
}

/**
 * Answers the digests of an index's platform manifests, in its order and each once; empty for a single image.
 *
 * Attestations (platform `unknown/unknown`) are left out. `undefined` when the document is neither an index nor an image, or both.
 *
 * @see https://github.com/opencontainers/image-spec/blob/main/image-index.md
 */
export function platformsOf(content: Buffer): readonly string[] | undefined {
  const document = parseObject(content);
  if (document === undefined) return undefined;
  const isIndex = "manifests" in document;
  const isImage = "layers" in document || "config" in document;
  // A document that is both is read differently by different readers: CVE-2021-41190.
  if (isIndex === isImage) return undefined;
  return isIndex ? childrenOf(document["manifests"]) : [];
}

/** Answers the tags of one page of a listing; `undefined` when it is none, or names something that is no tag. */
export function tagsOf(content: Buffer): readonly string[] | undefined {
  const document = parseObject(content);
  if (document === undefined || !("tags" in document)) return undefined;
  // Go writes an empty list as null.
  if (document["tags"] === null) return [];
  if (!Array.isArray(document["tags"])) return undefined;
  const tags: readonly unknown[] = document["tags"];
  return tags.every((tag) => typeof tag === "string" && isTag(tag)) ? (tags as readonly string[]) : undefined;
}

/** Answers the JSON object that content is, or `undefined`. */
export function parseObject(content: Buffer): Readonly<Record<string, unknown>> | undefined {
  const value = parseJson(content.toString("utf8"));
  return isObject(value) ? value : undefined;
}

function childrenOf(manifests: unknown): readonly string[] | undefined {
  if (!Array.isArray(manifests)) return undefined;
  const digests = new Set<string>();
  for (const child of manifests as readonly unknown[]) {
    if (!isObject(child) || typeof child["digest"] !== "string" || !isDigest(child["digest"])) return undefined;
    if (!isAttestation(child["platform"])) digests.add(child["digest"]);
  }
  return [...digests];
}

/** @see https://docs.docker.com/build/metadata/attestations/attestation-storage/ */
function isAttestation(platform: unknown): boolean {
  return isObject(platform) && platform["os"] === "unknown" && platform["architecture"] === "unknown";
}

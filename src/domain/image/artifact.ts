import { isObject } from "../shared/json.ts";

type Document = Readonly<Record<string, unknown>>;

/**
 * The media types of configurations that container runtimes run. The type of WebAssembly is among
 * them, because clusters run such images with a RuntimeClass.
 *
 * An unknown type is no image: a chart or an SBOM as a pod's image fails each rollout.
 */
const runnableConfigs: ReadonlySet<string> = new Set([
  "application/vnd.oci.image.config.v1+json",
  "application/vnd.docker.container.image.v1+json",
  "application/vnd.wasm.config.v0+json",
]);

/**
 * The media types that early registries wrote instead of the type of Docker's configuration. Docker
 * runs these images too.
 *
 * @see https://github.com/docker/distribution/issues/1621
 */
const misnamedConfigs: ReadonlySet<string> = new Set([
  "application/octet-stream",
  "application/json",
  "text/html",
  "text/plain",
]);

const dockerManifest = "application/vnd.docker.distribution.manifest.v2+json";
const ociIndex = "application/vnd.oci.image.index.v1+json";
const emptyConfig = "application/vnd.oci.empty.v1+json";

/** The media types of the members of an index that may be images. */
const memberTypes: ReadonlySet<string> = new Set([
  "application/vnd.oci.image.manifest.v1+json",
  dockerManifest,
  ociIndex,
  "application/vnd.docker.distribution.manifest.list.v2+json",
]);

/**
 * Docker's first manifest has no configuration, and current runtimes don't pull it.
 *
 * @see https://docs.docker.com/engine/deprecated/#pushing-and-pulling-with-image-manifest-v2-schema-1
 */
const dockerSchema1 = "application/vnd.docker.distribution.manifest.v1+prettyjws";

/**
 * Returns the media type that shows that no container runtime can run a manifest, or undefined for
 * an image.
 *
 * An index is judged by its descriptors: it is an image if one member may be an image. A
 * configuration without a media type belongs to an image, because such manifests are older than
 * artifacts.
 *
 * @see https://github.com/opencontainers/image-spec/blob/main/manifest.md#guidelines-for-artifact-usage
 */
export function artifactOf(document: Document): string | undefined {
  if ("manifests" in document) return artifactOfIndex(document);
  if (isSchema1(document)) return dockerSchema1;
  const artifactType = mediaType(document["artifactType"]);
  const config = mediaType(isObject(document["config"]) ? document["config"]["mediaType"] : undefined);
  const isNamed = artifactType !== undefined && !runnableConfigs.has(artifactType);
  if (isRunnable(config, mediaType(document["mediaType"]))) return isNamed ? artifactType : undefined;
  return isNamed && config === emptyConfig ? artifactType : config;
}

/** Returns whether a document is a manifest in Docker's first format. */
export function isSchema1(document: Document): boolean {
  return document["schemaVersion"] === 1 && "fsLayers" in document;
}

function isRunnable(config: string | undefined, manifest: string | undefined): boolean {
  if (config === undefined || runnableConfigs.has(config)) return true;
  return manifest === dockerManifest && misnamedConfigs.has(config);
}

function artifactOfIndex(index: Document): string | undefined {
  const listed: unknown = index["manifests"];
  const members = Array.isArray(listed) ? (listed as readonly unknown[]).filter(isObject) : [];
  if (members.some(mayBeImage)) return undefined;
  const types = [index, ...members].map((document) => mediaType(document["artifactType"]));
  return [...types, mediaType(index["mediaType"])].find((type) => type !== undefined) ?? ociIndex;
}

function mayBeImage(member: Document): boolean {
  const type = mediaType(member["mediaType"]);
  const artifactType = mediaType(member["artifactType"]);
  if (isAttestation(member) || (type !== undefined && !memberTypes.has(type))) return false;
  return artifactType === undefined || runnableConfigs.has(artifactType);
}

/**
 * Returns whether a member of an index is an attestation about another member.
 *
 * @see https://docs.docker.com/build/metadata/attestations/attestation-storage/
 */
export function isAttestation({ platform, annotations }: Document): boolean {
  const isUnknown = isObject(platform) && platform["os"] === "unknown" && platform["architecture"] === "unknown";
  return isUnknown || (isObject(annotations) && annotations["vnd.docker.reference.type"] === "attestation-manifest");
}

/** Returns a media type without its parameters. Returns undefined for an absent or empty type. */
function mediaType(value: unknown): string | undefined {
  if (value === undefined || value === "") return undefined;
  const type = typeof value === "string" ? (value.split(";", 1)[0] ?? "").trim().toLowerCase() : "";
  return /^[a-z0-9][\w.+!#$&^-]{0,126}\/[\w.+!#$&^-]{1,127}$/.test(type) ? type : "an invalid media type";
}

/** The names of common artifacts, by the start of their media type. */
const artifactNames = [
  ["application/vnd.cncf.helm.", "a Helm chart"],
  ["application/vnd.cncf.flux.", "a Flux artifact"],
  ["application/vnd.docker.plugin.", "a Docker plugin"],
  [dockerSchema1, "an image in Docker's first format, which current runtimes don't pull"],
  ["application/vnd.dev.sigstore.", "a signature"],
  ["application/vnd.dev.cosign.", "a signature"],
  ["application/vnd.cncf.notary.", "a signature"],
  ["application/vnd.in-toto", "an attestation"],
  ["application/spdx", "an SBOM"],
  ["text/spdx", "an SBOM"],
  ["application/vnd.cyclonedx", "an SBOM"],
  ["application/vnd.syft", "an SBOM"],
  ["application/vnd.cncf.model.", "a model"],
] as const;

/** Returns an artifact in words: `a Helm chart (application/vnd.cncf.helm.config.v1+json)`. */
export function artifactText(type: string): string {
  const named = artifactNames.find(([start]) => type.startsWith(start));
  return named === undefined ? type : `${named[1]} (${type})`;
}

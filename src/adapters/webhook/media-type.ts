/** The media types of manifests and indexes, which tags can name. */
const manifests: ReadonlySet<string> = new Set([
  "application/vnd.docker.distribution.manifest.v1+json",
  "application/vnd.docker.distribution.manifest.v1+prettyjws",
  "application/vnd.docker.distribution.manifest.v2+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
  "application/vnd.oci.image.manifest.v1+json",
  "application/vnd.oci.image.index.v1+json",
]);

/** The media types of image configurations, without those of charts, signatures and policies. */
const configurations: ReadonlySet<string> = new Set([
  "application/vnd.docker.container.image.v1+json",
  "application/vnd.oci.image.config.v1+json",
]);

/** Returns whether a media type belongs to a manifest or an index. */
export function isManifest(mediaType: string): boolean {
  return manifests.has(bare(mediaType));
}

/**
 * Returns whether a media type may belong to an image's manifest or configuration. The function
 * also returns true for a missing media type.
 */
export function mayBeImage(mediaType: string | null | undefined): boolean {
  const type = bare(mediaType ?? "");
  return type === "" || manifests.has(type) || configurations.has(type);
}

/**
 * Returns a media type in lower case and without parameters, as in
 * https://www.rfc-editor.org/rfc/rfc9110 §8.3.1.
 */
function bare(mediaType: string): string {
  return (mediaType.split(";", 1)[0] ?? "").trim().toLowerCase();
}

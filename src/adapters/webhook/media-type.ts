/** Manifests and indexes, which a tag can name: layers, configurations and all else that a registry stores are pushed too. */
const manifests: ReadonlySet<string> = new Set([
  "application/vnd.docker.distribution.manifest.v1+json",
  "application/vnd.docker.distribution.manifest.v1+prettyjws",
  "application/vnd.docker.distribution.manifest.v2+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
  "application/vnd.oci.image.manifest.v1+json",
  "application/vnd.oci.image.index.v1+json",
]);

/** Configurations of images; those of charts, signatures and policies are others. */
const configurations: ReadonlySet<string> = new Set([
  "application/vnd.docker.container.image.v1+json",
  "application/vnd.oci.image.config.v1+json",
]);

/** Says whether a media type is of a manifest or an index. */
export function isManifest(mediaType: string): boolean {
  return manifests.has(bare(mediaType));
}

/** Says whether a registry's word for what was pushed may be an image's: a manifest's, a configuration's, or none at all. */
export function mayBeImage(mediaType: string | null | undefined): boolean {
  const type = bare(mediaType ?? "");
  return type === "" || manifests.has(type) || configurations.has(type);
}

/** Media types are in any case, and may have parameters. Source: https://www.rfc-editor.org/rfc/rfc9110 §8.3.1 */
function bare(mediaType: string): string {
  return (mediaType.split(";", 1)[0] ?? "").trim().toLowerCase();
}

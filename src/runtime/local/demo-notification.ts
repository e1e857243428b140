/**
 * Returns the notification of a distribution registry about a pushed manifest.
 *
 * @see https://distribution.github.io/distribution/about/notifications/
 */
export function distributionEnvelope(host: string, repository: string, tag: string, digest: string): unknown {
  const mediaType = "application/vnd.oci.image.manifest.v1+json";
  return {
    events: [
      {
        id: `${repository}:${tag}@${digest}`,
        timestamp: new Date().toISOString(),
        action: "push",
        target: { mediaType, digest, repository, tag, url: `https://${host}/v2/${repository}/manifests/${digest}` },
        request: { host, method: "PUT" },
        actor: { name: "demo" },
      },
    ],
  };
}

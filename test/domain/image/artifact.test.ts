import { describe, expect, it } from "vitest";
import { artifactOf, artifactText } from "#domain/image/artifact";

const ociConfig = "application/vnd.oci.image.config.v1+json";
const dockerConfig = "application/vnd.docker.container.image.v1+json";
const ociManifest = "application/vnd.oci.image.manifest.v1+json";
const dockerManifest = "application/vnd.docker.distribution.manifest.v2+json";
const ociIndex = "application/vnd.oci.image.index.v1+json";
const emptyConfig = "application/vnd.oci.empty.v1+json";
const helm = "application/vnd.cncf.helm.config.v1+json";
const spdx = "application/spdx+json";

const manifest = (config: string | undefined, more: object = {}) => ({
  ...{ schemaVersion: 2, mediaType: ociManifest },
  ...{ config: config === undefined ? {} : { mediaType: config }, layers: [] },
  ...more,
});
const index = (manifests: readonly object[], more: object = {}) => ({ schemaVersion: 2, manifests, ...more });
const amd64 = { mediaType: ociManifest, platform: { os: "linux", architecture: "amd64" } };
const attestation = { mediaType: ociManifest, platform: { os: "unknown", architecture: "unknown" } };

describe("an image", () => {
  it.each([
    { document: manifest(ociConfig), because: "it has OCI's configuration" },
    { document: manifest(dockerConfig), because: "it has Docker's configuration in an OCI manifest" },
    { document: manifest(dockerConfig, { mediaType: dockerManifest }), because: "it is Docker's" },
    {
      document: manifest(`${dockerConfig.toUpperCase()}; charset=utf-8`),
      because: "a type has any case and parameters",
    },
    { document: manifest(undefined), because: "its configuration names no type" },
    { document: manifest(""), because: "its configuration's type is empty" },
    {
      document: manifest("application/octet-stream", { mediaType: dockerManifest }),
      because: "Docker once wrote that",
    },
    { document: manifest("application/vnd.wasm.config.v0+json"), because: "some runtimes run WebAssembly" },
    { document: manifest(ociConfig, { artifactType: ociConfig }), because: "its artifact type is an image" },
    { document: index([amd64, attestation]), because: "a member is an image" },
    { document: index([{ digest: "sha256:…" }]), because: "a member may be an image" },
    { document: index([amd64], { artifactType: spdx }), because: "its artifact type stands beside an image" },
    { document: index([{ ...amd64, artifactType: spdx }, amd64]), because: "one member of two is an image" },
    { document: index([{ mediaType: ociIndex }]), because: "it holds another index" },
  ])("can run: $because", ({ document }) => {
    expect(artifactOf(document)).toBeUndefined();
  });
});

describe("an artifact", () => {
  it.each([
    { document: manifest(helm), is: helm, because: "it is a chart" },
    {
      document: manifest(helm, { mediaType: dockerManifest }),
      is: helm,
      because: "it is a chart in Docker's manifest",
    },
    { document: manifest(emptyConfig, { artifactType: spdx }), is: spdx, because: "the artifact type says more" },
    { document: manifest(emptyConfig), is: emptyConfig, because: "an empty configuration starts nothing" },
    { document: manifest(ociConfig, { artifactType: spdx }), is: spdx, because: "its artifact type is no image" },
    {
      document: manifest("application/octet-stream"),
      is: "application/octet-stream",
      because: "only Docker misnamed it",
    },
    {
      document: manifest("application/vnd.acme.v9+json"),
      is: "application/vnd.acme.v9+json",
      because: "it is unknown",
    },
    { document: manifest("\u001b[31m"), is: "an invalid media type", because: "its type is none" },
    { document: index([attestation]), is: ociIndex, because: "all members are attestations" },
    { document: index([attestation], { artifactType: spdx }), is: spdx, because: "the index names an artifact" },
    { document: index([{ ...amd64, artifactType: spdx }]), is: spdx, because: "its only member is an artifact" },
    { document: index([{ mediaType: helm }]), is: ociIndex, because: "its member is no manifest" },
    { document: index([]), is: ociIndex, because: "an index without members runs nowhere" },
    {
      document: { schemaVersion: 1, fsLayers: [], history: [] },
      is: "application/vnd.docker.distribution.manifest.v1+prettyjws",
      because: "current runtimes don't pull Docker's first format",
    },
  ])("is named by its media type: $because", ({ document, is }) => {
    expect(artifactOf(document)).toBe(is);
  });

  it("is named in words with its media type", () => {
    expect(artifactText(helm)).toBe(`a Helm chart (${helm})`);
    expect(artifactText("application/vnd.acme.v9+json")).toBe("application/vnd.acme.v9+json");
  });
});

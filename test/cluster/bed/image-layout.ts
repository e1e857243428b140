import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { imageLayer } from "./image-layer.ts";

const mediaType = {
  config: "application/vnd.oci.image.config.v1+json",
  layer: "application/vnd.oci.image.layer.v1.tar",
  manifest: "application/vnd.oci.image.manifest.v1+json",
  index: "application/vnd.oci.image.index.v1+json",
};

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

/**
 * Writes a small image for each platform and their index into a folder.
 *
 * The same seed and platforms give the same digests.
 *
 * @param platforms - such as `linux/arm64`
 * @see https://github.com/opencontainers/image-spec/blob/main/image-layout.md
 */
export async function writeImageLayout(folder: string, seed: string, platforms: readonly string[]): Promise<void> {
  await mkdir(join(folder, "blobs", "sha256"), { recursive: true });
  const blob = async (type: string, content: Buffer): Promise<Descriptor> => {
    const hash = createHash("sha256").update(content).digest("hex");
    await writeFile(join(folder, "blobs", "sha256", hash), content);
    return { mediaType: type, digest: `sha256:${hash}`, size: content.length };
  };
  const jsonBlob = (type: string, content: object) => blob(type, Buffer.from(JSON.stringify(content)));

  const manifests = [];
  for (const platform of platforms) {
    const [os = "linux", architecture = "amd64"] = platform.split("/");
    const layer = await blob(mediaType.layer, imageLayer(`${seed} ${platform}`));
    const config = await jsonBlob(mediaType.config, {
      architecture,
      os,
      rootfs: { type: "layers", diff_ids: [layer.digest] },
    });
    const manifest = { schemaVersion: 2, mediaType: mediaType.manifest, config, layers: [layer] };
    manifests.push({ ...(await jsonBlob(mediaType.manifest, manifest)), platform: { architecture, os } });
  }
  await writeFile(join(folder, "oci-layout"), JSON.stringify({ imageLayoutVersion: "1.0.0" }));
  const index = { schemaVersion: 2, mediaType: mediaType.index, manifests };
  await writeFile(join(folder, "index.json"), JSON.stringify(index));
}

import { type ImageOrigin, mergedOrigin, namesCommit } from "#domain/image/origin";
import type { ConfigRead, ManifestRead } from "#ports/registry";

/** The reads of one repository. */
interface OriginReads {
  manifest(digest: string): Promise<ManifestRead>;
  config(digest: string): Promise<ConfigRead>;
}

/**
 * Reads the origin of an image: the annotations of its index, those of its first platform, and the
 * labels of its configuration. What the outer one states needs no further request.
 */
export async function readOrigin(digest: string, reads: OriginReads): Promise<ImageOrigin | undefined> {
  const read = await reads.manifest(digest);
  if (read.kind !== "manifest") return undefined;
  const { origin, platforms, config } = read;
  if (namesCommit(origin)) return origin;
  const [first] = platforms;
  // A platform of an index that is an index itself has no configuration.
  if (config === undefined && first !== undefined && first !== digest) {
    const platform = await reads.manifest(first);
    if (platform.kind !== "manifest") return origin;
    const merged = mergedOrigin(origin, platform.origin);
    return namesCommit(merged) ? merged : mergedOrigin(merged, await labelsOf(platform.config, reads));
  }
  return mergedOrigin(origin, await labelsOf(config, reads));
}

async function labelsOf(config: string | undefined, reads: OriginReads): Promise<ImageOrigin | undefined> {
  const read = config === undefined ? undefined : await reads.config(config);
  return read?.kind === "config" ? read.origin : undefined;
}

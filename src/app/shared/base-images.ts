import { type BaseImage, baseImageText } from "#domain/settings/base-images";
import type { WorkloadName } from "#domain/workload/workload";
import { mapBounded } from "./bounded.ts";
import type { RegistryReads } from "./registry-reads.ts";

/** The base images of a workload that are read at the same time. */
const readAtOnce = 4;

/** A base image with its digest in the registry, or why there is none. */
export interface ReadBaseImage {
  /** The image as one text: `docker.io/library/node:22`. */
  readonly image: string;
  readonly digest?: string;
  readonly problem?: string;
}

/** Reads the digests of base images. A repository that the workload may not use is not asked. */
export async function readBaseImages(
  images: readonly BaseImage[],
  workload: WorkloadName,
  { resolve, whyNotAllowed }: Pick<RegistryReads, "resolve" | "whyNotAllowed">,
): Promise<readonly ReadBaseImage[]> {
  return mapBounded(images, readAtOnce, async (base): Promise<ReadBaseImage> => {
    const image = baseImageText(base);
    const forbidden = whyNotAllowed(base, workload);
    if (forbidden !== undefined) return { image, problem: forbidden };
    const read = await resolve(base, base.tag);
    if (read.kind === "manifest") return { image, digest: read.digest };
    return { image, problem: read.kind === "not-found" ? "the registry has no such tag" : read.detail };
  });
}

/** Returns the digests of read base images. */
export function digestsOf(read: readonly ReadBaseImage[]): ReadonlyMap<string, string> {
  return new Map(read.flatMap(({ image, digest }) => (digest === undefined ? [] : [[image, digest] as const])));
}

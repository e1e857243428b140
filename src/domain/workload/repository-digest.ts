import type { ImageName } from "../image/reference.ts";

/** A digest of a repository. */
export interface RepositoryDigest {
  readonly imageName: ImageName;
  readonly digest: string;
}

/** Returns a test for the same digest of the same repository. */
export function isSameDigest({ imageName, digest }: RepositoryDigest): (one: RepositoryDigest) => boolean {
  return (one) => one.imageName === imageName && one.digest === digest;
}

/** Returns a list without the entries of these digests. Undefined if none is left. */
export function withoutDigests<One extends RepositoryDigest>(
  list: readonly One[] = [],
  digests: readonly RepositoryDigest[],
): readonly One[] | undefined {
  const left = list.filter((one) => !digests.some(isSameDigest(one)));
  return left.length === 0 ? undefined : left;
}

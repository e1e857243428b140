import { withoutUndefined } from "../shared/without-undefined.ts";
import { type ImageOrigin, isSameSource, namesCommit } from "./origin.ts";
import { sourceRepository } from "./source.ts";

/** The origins of the replaced and the new image. */
export interface WhatChanged {
  /** The page with the commits between the images, or with the only known commit. */
  readonly url?: string;
  /** The origin of the replaced image. Absent if it is unknown. */
  readonly from?: ImageOrigin;
  readonly to: ImageOrigin;
}

/**
 * Returns the page that compares the commits of two images. If only the new image names its commit,
 * or both name the same, the page is that of the commit. Returns undefined for different
 * repositories, and for unknown code hosts.
 */
export function comparisonOf(
  from: ImageOrigin | undefined,
  to: ImageOrigin | undefined,
): { readonly url: string } | undefined {
  if (!namesCommit(to)) return undefined;
  const { url, host } = sourceRepository(to.source) ?? {};
  if (url === undefined || host === undefined) return undefined;
  if (!namesCommit(from) || (isSameSource(from.source, to.source) && from.revision === to.revision))
    return { url: host.commit(url, to.revision) };
  return isSameSource(from.source, to.source) ? { url: host.comparison(url, from.revision, to.revision) } : undefined;
}

/** Returns the change between two images, or undefined if the new image states no origin. */
export function whatChanged(from: ImageOrigin | undefined, to: ImageOrigin | undefined): WhatChanged | undefined {
  if (to === undefined) return undefined;
  return withoutUndefined<WhatChanged>({ url: comparisonOf(from, to)?.url, from, to });
}

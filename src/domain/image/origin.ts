import { withoutUndefined } from "../shared/without-undefined.ts";
import { sourceRepository } from "./source.ts";

/** Where an image comes from, by its own labels or annotations. Nothing proves it. */
export interface ImageOrigin {
  /** The repository on a known code host: `https://github.com/acme/api`. */
  readonly source?: string;
  /** The commit, 7 to 64 hexadecimal digits. */
  readonly revision?: string;
  readonly version?: string;
}

const prefix = "org.opencontainers.image.";

/**
 * Returns the origin in the labels of a configuration, or in the annotations of a manifest. Returns
 * undefined if they state none. A value of another form than expected is left out.
 *
 * @see https://github.com/opencontainers/image-spec/blob/main/annotations.md
 */
export function originOf(labels: unknown): ImageOrigin | undefined {
  const label = (name: keyof ImageOrigin): string => {
    const own = Object(labels) as Readonly<Record<string, unknown>>;
    const value = Object.hasOwn(own, prefix + name) ? own[prefix + name] : undefined;
    return typeof value === "string" ? value : "";
  };
  const source = sourceRepository(label("source"))?.url;
  const revision = matching(/^[0-9a-f]{7,64}$/i, label("revision"))?.toLowerCase();
  const version = matching(/^\w[\w.+/@:~-]{0,127}$/, label("version"));
  if ((source ?? revision ?? version) === undefined) return undefined;
  return withoutUndefined<ImageOrigin>({ source, revision, version });
}

function matching(form: RegExp, text: string): string | undefined {
  return form.test(text) ? text : undefined;
}

/**
 * Returns an outer origin, of an index or a manifest, with the members that only the inner one has.
 * An inner origin with another source is that of a base image, so it is left out.
 */
export function mergedOrigin(outer: ImageOrigin | undefined, inner: ImageOrigin | undefined): ImageOrigin | undefined {
  if (outer === undefined || inner === undefined) return outer ?? inner;
  return isSameSource(outer.source ?? inner.source, inner.source ?? outer.source) ? { ...inner, ...outer } : outer;
}

/** Returns whether two sources are one repository. Code hosts ignore the case of names. */
export function isSameSource(one: string | undefined, other: string | undefined): boolean {
  return one?.toLowerCase() === other?.toLowerCase();
}

/** Returns whether an origin names a commit of a repository. */
export function namesCommit(
  origin: ImageOrigin | undefined,
): origin is Required<Pick<ImageOrigin, "source" | "revision">> {
  return origin?.source !== undefined && origin.revision !== undefined;
}

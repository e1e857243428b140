// At each character, an expression has at most one way to continue, so that it fails in linear
// time.

/** A host name or bracketed IPv6 address, with an optional port. */
const HOST = /^(?:[A-Za-z0-9]+(?:(?:\.|-+)[A-Za-z0-9]+)*|\[[0-9A-Fa-f:]+\])(?::[0-9]+)?$/;
/** Lower-case letters and digits, joined by one of `/` `.` `_` `__`, or by dashes. */
const PATH = /^[a-z0-9]+(?:(?:[/._]|__|-+)[a-z0-9]+)*$/;
const TAG = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/;
/** Components that start with a letter, joined by one of `-` `_` `+` `.`. */
const DIGEST = /^[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9A-Fa-f]{32,}$/;
/** The number of digits of each algorithm: https://github.com/opencontainers/go-digest (algorithm.go) */
const KNOWN_DIGEST = /^(?:sha256:[0-9a-f]{64}|sha384:[0-9a-f]{96}|sha512:[0-9a-f]{128})$/;

/** A digest of any algorithm and encoding, as descriptors allow it. */
const DESCRIPTOR_DIGEST = /^[a-z0-9]+(?:[+._-][a-z0-9]+)*:[\w=-]+$/;

/** The parts of an image reference. `host` is empty for a reference without a host. */
export interface ReferenceParts {
  readonly host: string;
  readonly path: string;
  readonly tag: string | undefined;
  readonly digest: string | undefined;
}

/**
 * Splits the rest of a reference after its host, as distribution/reference does:
 * `path[:tag][@digest]`.
 *
 * An invalid host becomes the beginning of the path, if it is valid there. The length of the path
 * and the algorithm of the digest are not checked.
 *
 * @returns `undefined` when the text does not match.
 * @see https://github.com/distribution/reference/blob/main/regexp.go
 */
export function matchReference(host: string, rest: string): ReferenceParts | undefined {
  // Only a digest follows "@". After a host, the only ":" before "@" starts the tag. So each
  // separator has one place.
  const [tagged, digest] = cut(rest, rest.indexOf("@"));
  const [path, tag] = cut(tagged, tagged.indexOf(":"));
  if ((digest !== undefined && !DIGEST.test(digest)) || (tag !== undefined && !isTag(tag))) return undefined;
  if (isHost(host)) return isPath(path) ? { host, path, tag, digest } : undefined;
  const whole = `${host}/${path}`;
  return isPath(whole) ? { host: "", path: whole, tag, digest } : undefined;
}

/** Splits a text at an index. The second part is undefined for a negative index. */
function cut(text: string, joint: number): readonly [string, string | undefined] {
  return joint < 0 ? [text, undefined] : [text.slice(0, joint), text.slice(joint + 1)];
}

/**
 * Returns whether a text is a domain name, an IPv4 or a bracketed IPv6 address, with or without a
 * port.
 */
export function isHost(text: string): boolean {
  return HOST.test(text);
}

/** Returns whether a text is a repository path, with any number of components. */
export function isPath(text: string): boolean {
  return PATH.test(text);
}

/** The form of a tag, for users. */
export const tagForm = "at most 128 letters, digits, _, . and -, without . or - at the start";

/** Returns whether a text is a tag. A tag has the form {@link tagForm}. */
export function isTag(text: string): boolean {
  return TAG.test(text);
}

/** The form of a digest, for users. */
export const digestForm = "sha256, sha384 or sha512 with 64, 96 or 128 lower-case hexadecimal digits";

/**
 * Returns whether a text is a digest that a reference may carry. That is `sha256:`, `sha384:` or
 * `sha512:` with 64, 96 or 128 lower-case hexadecimal digits.
 *
 * @see https://github.com/opencontainers/image-spec/blob/main/descriptor.md#registered-algorithms
 */
export function isDigest(text: string): boolean {
  return KNOWN_DIGEST.test(text);
}

/** The form of a digest of any algorithm, for users. */
export const descriptorDigestForm = "an algorithm, a colon and a hash, such as sha256:6f4e…";

/**
 * Returns whether a text is a digest of any algorithm, as in a descriptor. Only the algorithms of
 * {@link isDigest} have a known length.
 *
 * @see https://github.com/opencontainers/image-spec/blob/main/descriptor.md#digests
 */
export function isDescriptorDigest(text: string): boolean {
  return DESCRIPTOR_DIGEST.test(text);
}

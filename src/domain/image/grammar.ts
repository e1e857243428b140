// Every expression here has one way on at each character, so that what does not match is given up in linear time.

/** Letters and digits, joined by dots and by any number of dashes; or an IPv6 address. Then a port of any number of digits. */
const HOST = /^(?:[A-Za-z0-9]+(?:(?:\.|-+)[A-Za-z0-9]+)*|\[[0-9A-Fa-f:]+\])(?::[0-9]+)?$/;
/** Lower-case letters and digits, joined by one of `/` `.` `_` `__` or by any number of dashes. */
const PATH = /^[a-z0-9]+(?:(?:[/._]|__|-+)[a-z0-9]+)*$/;
const TAG = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/;
/** Components of an algorithm start with a letter, and are joined by one of `-` `_` `+` `.`. */
const DIGEST = /^[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9A-Fa-f]{32,}$/;
/** As many digits as each algorithm produces. Source: https://github.com/opencontainers/go-digest (algorithm.go) */
const KNOWN_DIGEST = /^(?:sha256:[0-9a-f]{64}|sha384:[0-9a-f]{96}|sha512:[0-9a-f]{128})$/;

/** What a descriptor may carry: any algorithm, and any way of writing what it made. */
const DESCRIPTOR_DIGEST = /^[a-z0-9]+(?:[+._-][a-z0-9]+)*:[\w=-]+$/;

/** A text cut at the joints of the reference grammar. `host` is empty where the grammar finds none. */
export interface ReferenceParts {
  readonly host: string;
  readonly path: string;
  readonly tag: string | undefined;
  readonly digest: string | undefined;
}

/**
 * Cuts what stands behind a host as the anchored expression of distribution/reference does: `path[:tag][@digest]`. A host that is none
 * is the beginning of the path, where it fits there.
 *
 * Lengths of the path and kinds of digest are not judged.
 *
 * @returns `undefined` where the expression does not match.
 * @see https://github.com/distribution/reference/blob/main/regexp.go
 */
export function matchReference(host: string, rest: string): ReferenceParts | undefined {
  // "@" is in no other part, and behind a host the only ":" before it is the tag's: each joint has one place.
  const [tagged, digest] = cut(rest, rest.indexOf("@"));
  const [path, tag] = cut(tagged, tagged.indexOf(":"));
  if ((digest !== undefined && !DIGEST.test(digest)) || (tag !== undefined && !isTag(tag))) return undefined;
  if (isHost(host)) return isPath(path) ? { host, path, tag, digest } : undefined;
  const whole = `${host}/${path}`;
  return isPath(whole) ? { host: "", path: whole, tag, digest } : undefined;
}

/** What is before a joint and behind it; all and nothing, where there is none. */
function cut(text: string, joint: number): readonly [string, string | undefined] {
  return joint < 0 ? [text, undefined] : [text.slice(0, joint), text.slice(joint + 1)];
}

/** Whether a text is a domain name, an IPv4 or a bracketed IPv6 address, with or without a port. */
export function isHost(text: string): boolean {
  return HOST.test(text);
}

/** Whether a text is the path of a repository: any number of components. */
export function isPath(text: string): boolean {
  return PATH.test(text);
}

/** What a tag is, for people. */
export const tagForm = "at most 128 letters, digits, _, . and -, of which the first is no . and no -";

/** Whether a text is a tag: at most 128 letters, digits, `_`, `.` and `-`, of which the first is no `.` and no `-`. */
export function isTag(text: string): boolean {
  return TAG.test(text);
}

/** What a digest is, for people. */
export const digestForm = "sha256, sha384 or sha512 with 64, 96 or 128 lower-case hexadecimal digits";

/**
 * Whether a text is a digest that a reference may carry: `sha256:`, `sha384:` or `sha512:` and 64, 96 or 128 lower-case
 * hexadecimal digits.
 *
 * @see https://github.com/opencontainers/image-spec/blob/main/descriptor.md#registered-algorithms
 */
export function isDigest(text: string): boolean {
  return KNOWN_DIGEST.test(text);
}

/** What a digest of any algorithm is, for people. */
export const descriptorDigestForm = "an algorithm, a colon and what it made, such as sha256:6f4e…";

/**
 * Whether a text is a digest of whatever algorithm, as a descriptor may carry it. Only of those of {@link isDigest} is it known
 * how long they are.
 *
 * @see https://github.com/opencontainers/image-spec/blob/main/descriptor.md#digests
 */
export function isDescriptorDigest(text: string): boolean {
  return DESCRIPTOR_DIGEST.test(text);
}

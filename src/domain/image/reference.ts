import { digestForm, isDigest, isHost, isTag, matchReference, type ReferenceParts } from "./grammar.ts";
import { ok, problem } from "../shared/result.ts";
import type { Result } from "../shared/result.ts";
import { placeOfCapital, placeOfReferenceFault } from "./reference-errors.ts";
import { characterNumber, shortened } from "../shared/shown-text.ts";

export { isDigest, isTag };

/** The tag of an image reference without a tag. */
export const impliedTag = "latest";

/** The host of Docker Hub in image references. */
export const dockerHub = "docker.io";
/** The former host of Docker Hub. */
const DOCKER_HUB_LEGACY = "index.docker.io";
/** Docker Hub's namespace of one-word images. */
const OFFICIAL_IMAGES = "library/";
/** The number of characters of an image that messages show. */
const LONGEST_SHOWN = 300;
/** The longest repository path in bytes: https://github.com/distribution/reference (RepositoryNameTotalLengthMax) */
const LONGEST_REPOSITORY = 255;

/**
 * An image reference in its normal form: two spellings of one image are equal.
 *
 * `registry` is a host with an optional port, in lower case. A host of one word keeps the capitals
 * that make it a host (`Registry/app`). `registry` is empty for a first component with a dot and an
 * underscore (`my_host.example/app`). The grammar allows such a component, and no registry answers
 * to it. Without `tag` and `digest` the reference names the repository: no `latest` is added.
 */
export interface ImageReference {
  readonly registry: string;
  readonly repository: string;
  readonly tag?: string;
  readonly digest?: string;
}

/**
 * The problem of a text that is not an image reference. `message` shows the text and the expected
 * form, for users.
 */
export interface ReferenceProblem {
  readonly code: "empty" | "invalid-format" | "uppercase" | "name-too-long" | "digest-invalid";
  readonly message: string;
}

/**
 * Parses an image reference with the grammar and normalisation of distribution/reference, as
 * container runtimes do.
 *
 * `nginx` is `docker.io/library/nginx`, and `index.docker.io/x` is `docker.io/library/x`. The first
 * component is a host when it has a dot, a colon or a capital letter, or is `localhost`. A
 * reference may have both a tag and a digest. The time is linear in the length of the text.
 *
 * @returns `digest-invalid` for a digest that fits the grammar, but not {@link isDigest}. Any other
 *   text outside the grammar is `invalid-format`. 64 hexadecimal digits alone are `invalid-format`
 *   too: they identify an image, and are no name.
 * @see https://github.com/distribution/reference (normalize.go, regexp.go)
 */
export function parseImageReference(text: string): Result<ImageReference, ReferenceProblem> {
  if (text === "") return refuse("empty", text, "an image is expected, for example nginx:1.27");
  if (/^[a-f0-9]{64}$/.test(text)) {
    return refuse("invalid-format", text, "64 hexadecimal digits are an image's identifier, not a name");
  }
  const { host, rest } = splitHost(text);
  const parts = hasCapitals(rest) ? undefined : matchReference(host, rest);
  return parts === undefined ? refuseForm(text, host, rest) : check(text, parts);
}

/** Returns whether the path has capitals. A tag may have capitals. */
function hasCapitals(rest: string): boolean {
  const colon = rest.indexOf(":");
  const path = colon < 0 ? rest : rest.slice(0, colon);
  return path !== path.toLowerCase();
}

function refuseForm(text: string, host: string, rest: string): Result<never, ReferenceProblem> {
  const isPathUpper = hasCapitals(rest);
  if (isPathUpper || matchReference(host.toLowerCase(), rest.toLowerCase()) !== undefined) {
    // `splitHost` may have added `library/` to the rest.
    const place = isPathUpper ? text.length - rest.length + placeOfCapital(rest) : placeOfCapital(text);
    return refuse("uppercase", text, `character ${characterNumber(text, place)}: the repository must be in lower case`);
  }
  return refuse("invalid-format", text, `${whereFormEnds(text)}: expected [host[:port]/]path[:tag][@algorithm:hex]`);
}

/** Returns where the form of a text ends. Checks only the part that messages show. */
function whereFormEnds(text: string): string {
  const place = placeOfReferenceFault(text.slice(0, LONGEST_SHOWN), isReferenceForm);
  if (place === text.length) return "the text ends too early";
  return place < LONGEST_SHOWN ? `character ${characterNumber(text, place)}` : `after character ${LONGEST_SHOWN}`;
}

function isReferenceForm(text: string): boolean {
  const { host, rest } = splitHost(text);
  return !hasCapitals(rest) && matchReference(host, rest) !== undefined;
}

function check(text: string, parts: ReferenceParts): Result<ImageReference, ReferenceProblem> {
  if (parts.path.length > LONGEST_REPOSITORY) {
    const limit = String(LONGEST_REPOSITORY);
    return refuse("name-too-long", text, `the repository has more than ${limit} characters`);
  }
  if (parts.digest !== undefined && !isDigest(parts.digest)) {
    const place = characterNumber(text, text.indexOf("@") + 1);
    return refuse("digest-invalid", text, `character ${place}: the digest must be ${digestForm}`);
  }
  return ok({
    registry: parts.host,
    repository: parts.path,
    ...(parts.tag === undefined ? {} : { tag: parts.tag }),
    ...(parts.digest === undefined ? {} : { digest: parts.digest }),
  });
}

/**
 * Splits the text of an image reference into the registry's host and the rest. Without a host, the
 * registry is Docker Hub, and a path of one part is below `library/`.
 */
function splitHost(text: string): { readonly host: string; readonly rest: string } {
  const slash = text.indexOf("/");
  if (slash < 0) return { host: dockerHub, rest: OFFICIAL_IMAGES + text };
  const first = text.slice(0, slash);
  const lower = first.toLowerCase();
  const isNamedInLower = lower === "localhost" || /[.:]/.test(first);
  const named = isNamedInLower || lower !== first;
  // Without its capitals, a host of one word would be a path.
  const written = isNamedInLower && isHost(first) ? lower : first;
  const host = !named || written === DOCKER_HUB_LEGACY ? dockerHub : written;
  const rest = named ? text.slice(slash + 1) : text;
  return { host, rest: host === dockerHub && !rest.includes("/") ? OFFICIAL_IMAGES + rest : rest };
}

function refuse(code: ReferenceProblem["code"], text: string, why: string): Result<never, ReferenceProblem> {
  return problem({ code, message: `"${shortened(text, LONGEST_SHOWN)}": not an image reference: ${why}` });
}

/**
 * Writes a reference in its canonical form, with the host and with `library/`:
 * `docker.io/library/nginx:1.27@sha256:…`.
 *
 * The result parses to the same reference.
 */
export function formatImageReference(ref: ImageReference): string {
  return imageNameOf(ref) + suffix(ref);
}

/**
 * Returns a reference as users write it: without `docker.io` and an implied `library/`
 * (`nginx:1.27`, `foo/bar`). Other registries keep their host.
 *
 * Never parse the result: its path on Docker Hub may look like a host.
 */
export function familiarImage(ref: ImageReference): string {
  if (ref.registry !== dockerHub) return formatImageReference(ref);
  const { repository } = ref;
  const official = repository.startsWith(OFFICIAL_IMAGES) && !repository.includes("/", OFFICIAL_IMAGES.length);
  return (official ? repository.slice(OFFICIAL_IMAGES.length) : repository) + suffix(ref);
}

/**
 * Returns an image with another tag and digest. The name keeps its spelling: `nginx` stays `nginx`.
 * The original tag and digest are dropped.
 *
 * @param original - an image that `parseImageReference` reads.
 * @throws RangeError when the original, the tag or the digest is not valid: the caller skipped a
 *   parser.
 */
export function replaceImage(original: string, to: { readonly tag?: string; readonly digest?: string }): string {
  const parsed = parseImageReference(original);
  if (!parsed.ok) throw new RangeError(parsed.problem.message);
  if (to.tag !== undefined && !isTag(to.tag)) throw new RangeError(`"${to.tag}": not a tag`);
  if (to.digest !== undefined && !isDigest(to.digest)) {
    throw new RangeError(`"${to.digest}": not a digest`);
  }
  // The original is valid, so the length of its suffix is known.
  return original.slice(0, original.length - suffix(parsed.value).length) + suffix(to);
}

function suffix(of: { readonly tag?: string; readonly digest?: string }): string {
  const tag = of.tag === undefined ? "" : `:${of.tag}`;
  return of.digest === undefined ? tag : `${tag}@${of.digest}`;
}

/** The registry and the repository of an image: `docker.io/library/nginx`. */
export type ImageName = string;

/** Returns the image name of a reference, for keys and messages: `docker.io/library/nginx`. */
export function imageNameOf(ref: Pick<ImageReference, "registry" | "repository">): ImageName {
  return ref.registry === "" ? ref.repository : `${ref.registry}/${ref.repository}`;
}

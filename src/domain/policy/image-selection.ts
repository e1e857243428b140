import { digestOf, laterOf, nameOf } from "./candidate-tag.ts";
import { attributesOf, extracted, noFilter } from "./tag-filter.ts";
import {
  type CandidateTag,
  type CurrentImage,
  type Selection,
  type SelectionRule,
  explainSelection,
  type RejectedTag,
} from "./policy.ts";

/**
 * The result of a selection for an image. Unlike in {@link Selection}, the kind is `selected` if
 * only the digest of the running tag moved.
 */
export type ImageSelection =
  ({ readonly kind: "selected" | "unchanged" } & SelectedImage) | Extract<Selection, { readonly kind: "none" }>;

/** The selected tag, with its digest and attributes. */
export interface SelectedImage {
  readonly tag: string;
  /** The digest of the tag. Absent if the tags have no digests. */
  readonly digest?: string;
  /**
   * The extracted part of the tag. Absent if there is no template, or the pattern does not match.
   */
  readonly extracted?: string;
  /** The named groups of the patterns, and `tag`. */
  readonly attributes: Readonly<Record<string, string>>;
}

/**
 * Selects a tag. Returns the attributes of the selected tag, and why each other tag was rejected.
 */
export function selectImage(
  rule: SelectionRule,
  current: CurrentImage | undefined,
  tags: readonly CandidateTag[],
): { readonly selection: ImageSelection; readonly rejected: readonly RejectedTag[] } {
  const { selection, rejected } = explainSelection(rule, current, tags);
  if (selection.kind === "none") return { selection, rejected };
  const image = imageOf(rule, current, selection.tag, tags);
  // Without a listed digest, an unchanged tag has the running digest.
  const digestMoved = current?.digest !== undefined && image.digest !== current.digest;
  return { selection: { kind: digestMoved ? "selected" : selection.kind, ...image }, rejected };
}

function imageOf(
  { policy, filter = noFilter }: SelectionRule,
  current: CurrentImage | undefined,
  tag: string,
  tags: readonly CandidateTag[],
): SelectedImage {
  const patterns = [...filter.patterns, ...(policy.kind === "regex" ? [policy.pattern] : [])];
  const sayings = tags.filter((candidate) => nameOf(candidate) === tag);
  const listed = sayings.length === 0 ? undefined : sayings.reduce(laterOf);
  // Only the running tag can be selected without being listed.
  const digest =
    (listed === undefined ? undefined : digestOf(listed)) ?? (tag === current?.tag ? current.digest : undefined);
  const value = filter.extract === undefined ? undefined : extracted({ ...filter, patterns }, tag);
  return {
    tag,
    ...(digest === undefined ? {} : { digest }),
    ...(value === undefined ? {} : { extracted: value }),
    attributes: attributesOf(patterns, tag),
  };
}

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

/** What a selection comes to for an image: as {@link Selection}, but a digest that has moved is a change. */
export type ImageSelection =
  ({ readonly kind: "elected" | "unchanged" } & SelectedImage) | Extract<Selection, { readonly kind: "none" }>;

/** What is known of the tag that is to run. */
export interface SelectedImage {
  readonly tag: string;
  /** Absent: the tags came without digests. */
  readonly digest?: string;
  /** What the template made of the tag. Absent: there is none, or the pattern does not match a running tag that stays. */
  readonly extracted?: string;
  /** What the named groups of the patterns hold, and `tag`. */
  readonly attributes: Readonly<Record<string, string>>;
}

/** Selects, and tells of the winner what its rule makes of it, and of every other tag why it was no candidate. */
export function selectImage(
  rule: SelectionRule,
  current: CurrentImage | undefined,
  tags: readonly CandidateTag[],
): { readonly selection: ImageSelection; readonly rejected: readonly RejectedTag[] } {
  const { selection, rejected } = explainSelection(rule, current, tags);
  if (selection.kind === "none") return { selection, rejected };
  const image = imageOf(rule, current, selection.tag, tags);
  // Of what stays the digest is known where that of what runs is.
  const digestMoved = current?.digest !== undefined && image.digest !== current.digest;
  return { selection: { kind: digestMoved ? "elected" : selection.kind, ...image }, rejected };
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
  // What is not listed can only be what runs.
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

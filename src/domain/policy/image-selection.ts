import { digestOf, laterOf, nameOf } from "./candidate-tag.ts";
import { attributesOf, extracted, noFilter } from "./tag-filter.ts";
import {
  type CandidateTag,
  type CurrentImage,
  type Election,
  type ElectionRule,
  explainElection,
  type RejectedTag,
} from "./policy.ts";

/** What an election comes to for an image: as {@link Election}, but a digest that has moved is a change. */
export type ImageElection =
  ({ readonly kind: "elected" | "unchanged" } & ElectedImage) | Extract<Election, { readonly kind: "none" }>;

/** What is known of the tag that is to run. */
export interface ElectedImage {
  readonly tag: string;
  /** Absent: the tags came without digests. */
  readonly digest?: string;
  /** What the template made of the tag. Absent: there is none, or the pattern does not match a running tag that stays. */
  readonly extracted?: string;
  /** What the named groups of the patterns hold, and `tag`. */
  readonly attributes: Readonly<Record<string, string>>;
}

/** Elects, and tells of the winner what its rule makes of it, and of every other tag why it was no candidate. */
export function electImage(
  rule: ElectionRule,
  current: CurrentImage | undefined,
  tags: readonly CandidateTag[],
): { readonly election: ImageElection; readonly rejected: readonly RejectedTag[] } {
  const { election, rejected } = explainElection(rule, current, tags);
  if (election.kind === "none") return { election, rejected };
  const image = imageOf(rule, current, election.tag, tags);
  // Of what stays the digest is known where that of what runs is.
  const digestMoved = current?.digest !== undefined && image.digest !== current.digest;
  return { election: { kind: digestMoved ? "elected" : election.kind, ...image }, rejected };
}

function imageOf(
  { policy, filter = noFilter }: ElectionRule,
  current: CurrentImage | undefined,
  tag: string,
  tags: readonly CandidateTag[],
): ElectedImage {
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

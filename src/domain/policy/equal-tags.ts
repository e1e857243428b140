import { compareTexts } from "../shared/text-order.ts";
import { compareTies } from "../version/order.ts";
import { prefixLength } from "../version/scan.ts";
import { type CandidateTag, compareMoves, digestOf, laterOf, movedAtOf, nameOf } from "./candidate-tag.ts";
import type { CurrentImage, Ranking } from "./tag-selector.ts";

/** The order of tags whose compared values are equal: positive when the first wins. */
export type CompareEqualTags = (one: CandidateTag, other: CandidateTag) => number;

/**
 * Returns the order of tags with equal values.
 *
 * Tags in the form of the running tag win (its prefix, the spelling of its suffix, its zero-padded
 * numbers), then the tag that moved last, then the tag that sorts first. Tags with equal extracted
 * values may differ in any other part, so the tag that moved last wins, then the tag with the higher
 * numbers.
 *
 * @param lead - the words before the version, which all these tags have.
 */
export function equalTagOrder(current: CurrentImage | undefined, isExtracted: boolean, lead = ""): CompareEqualTags {
  const running = current?.tag === undefined ? undefined : formOf(current.tag.slice(lead.length));
  // The second tag is often the highest so far, so its likeness is kept.
  let last = { name: "", likeness: 0 };
  const likenessOf = (name: string): number => {
    if (running === undefined) return 0;
    return name === last.name ? last.likeness : likeness(formOf(name.slice(lead.length)), running);
  };
  return (one, other) => {
    const [name, otherName] = [nameOf(one), nameOf(other)];
    if (isExtracted) return compareMoves(one, other) || compareNaturally(name, otherName);
    last = { name: otherName, likeness: likenessOf(otherName) };
    return likenessOf(name) - last.likeness || compareMoves(one, other) || compareTies(name, otherName);
  };
}

/** Returns how many parts of a tag have the form of the running tag. The prefix counts most. */
function likeness(own: TagForm, other: TagForm): number {
  return (
    Number(own.prefix === other.prefix) * 4 +
    Number(own.spelling === other.spelling) * 2 +
    Number(own.isPadded === other.isPadded)
  );
}

interface TagForm {
  readonly prefix: string;
  /** The tag without its prefix, with `#` for each number. */
  readonly spelling: string;
  readonly isPadded: boolean;
}

function formOf(tag: string): TagForm {
  const prefix = tag.slice(0, Math.max(0, prefixLength(tag)));
  return {
    prefix,
    spelling: tag.slice(prefix.length).replaceAll(/\d+/g, "#"),
    isPadded: /(?<!\d)0\d/.test(tag),
  };
}

/** Compares texts with numbers as numbers: `-r9` is lower than `-r11`. Zero only for equal texts. */
function compareNaturally(one: string, other: string): number {
  return compareTexts(withLongNumbers(one), withLongNumbers(other)) || compareTies(one, other);
}

/** The maximum length of a tag, and so of its numbers. */
const longestNumber = 128;

function withLongNumbers(text: string): string {
  return text.replaceAll(/\d+/g, (digits) => digits.replace(/^0+/, "").padStart(longestNumber, "0"));
}

/**
 * Returns whether a tag with the value of the running tag replaces the running tag: the values were
 * extracted, and the tag moved later.
 */
export function replacesEqual(
  best: CandidateTag,
  current: CurrentImage | undefined,
  ranking: Ranking,
  isExtracted: boolean,
): boolean {
  return isExtracted && nameOf(best) !== current?.tag && compareMoves(best, runningOf(current, ranking)) > 0;
}

/**
 * Returns the running tag with its move: the known move to the running digest, else the later of the
 * known move and the first sight of the running image. A cluster may deploy an old image late.
 */
export function runningOf(current: CurrentImage | undefined, { running }: Ranking): CandidateTag {
  const { tag = "", digest, movedAt } = current ?? {};
  const known: CandidateTag = movedAt === undefined ? tag : { name: tag, movedAt };
  if (running === undefined) return known;
  const isMoveKnown = digest !== undefined && movedAtOf(running) !== undefined && digestOf(running) === digest;
  return isMoveKnown ? running : laterOf(running, known);
}

/** Returns a ranking with the running tag of a listing. */
export function withRunning(
  ranking: Ranking,
  current: CurrentImage | undefined,
  tags: Iterable<CandidateTag>,
): Ranking {
  let running: CandidateTag | undefined;
  for (const tag of tags) {
    if (nameOf(tag) === current?.tag) running = running === undefined ? tag : laterOf(running, tag);
  }
  return running === undefined ? ranking : { ...ranking, running };
}

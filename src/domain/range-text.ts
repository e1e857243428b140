import { FIRST_OF_ALL } from "./pre-release.ts";
import { boundsOf, type Comparison, type Sign } from "./range-bounds.ts";
import { ok, problem, type Result } from "./result.ts";
import { shortened } from "./shown-text.ts";
import type { Comparator, VersionRange } from "./version-range.ts";

/** Why a text is no range. `message` shows the text and where it goes wrong, for people. */
export interface RangeProblem {
  readonly code: "range-invalid";
  readonly message: string;
}

/** Where a text goes wrong: the index, and what is to be said beside it. */
interface Fault {
  readonly at: number;
  readonly why?: string;
}

const LONGEST_RANGE = 1_000;

/**
 * Reads a range as npm's semver reads it; a comma means "and", `=<` and `=>` mean `<=` and `>=`.
 *
 * What npm passes over is refused, because a slip leaves it behind, and what it was to limit would be without a limit: an empty range, an
 * empty side of `||` or of a comma, and a number or a suffix behind an x.
 *
 * @see https://github.com/npm/node-semver#ranges
 */
export function parseRange(text: string): Result<VersionRange, RangeProblem> {
  if (text.length > LONGEST_RANGE) return refuse(shortened(text, 40), `longer than ${LONGEST_RANGE} characters`);
  if (text.replace(/,/g, " ").trim() === "") return refuse(text, "empty; * takes any version");
  const npm = text.replace(/=</g, "<=").replace(/=>/g, ">=");
  const sides: (readonly Comparison[])[] = [];
  let from = 0;
  for (const side of npm.split("||")) {
    const read = readSide(side);
    if (!read.ok) return refuse(text, told(from, read.problem));
    sides.push(read.value);
    from += side.length + "||".length;
  }
  const bounds = (open: string): Comparator[][] => sides.map((side) => side.flatMap((each) => boundsOf(each, open)));
  return ok({ text, releases: limiting(bounds("")), prereleases: bounds(FIRST_OF_ALL) });
}

function refuse(text: string, why: string): Result<never, RangeProblem> {
  return problem({ code: "range-invalid", message: `"${text}": not a range (${why})` });
}

function told(from: number, { at, why }: Fault): string {
  const place = `character ${Math.max(0, from + at) + 1}`;
  return why === undefined ? place : `${place}: ${why}`;
}

/** Where one side takes any release npm asks no other, though that may name a pre-release. */
function limiting(sides: readonly (readonly Comparator[])[]): VersionRange["releases"] {
  const limits = sides.map((bounds) => bounds.filter((bound) => !takesAnyRelease(bound)));
  return limits.some((bounds) => bounds.length === 0) ? [[]] : limits;
}

function takesAnyRelease({ operator, major, minor, patch, prerelease, flavour }: Comparator): boolean {
  return operator === ">=" && major + minor + patch + prerelease.length === 0 && flavour === "";
}

/** Reads one side of `||`: what stands between its commas holds together. */
function readSide(side: string): Result<readonly Comparison[], Fault> {
  const parts = side.split(",");
  const comparisons: Comparison[] = [];
  let from = 0;
  for (const part of parts) {
    if (parts.length > 1 && part.trim() === "")
      return problem({ at: from === 0 ? part.length : from - 1, why: "nothing stands on one side of the comma" });
    const read = readPart(part);
    if (!read.ok) return problem({ ...read.problem, at: from + read.problem.at });
    comparisons.push(...read.value);
    from += part.length + ",".length;
  }
  return ok(comparisons);
}

/** A sign with its version, or whatever stands in the place of one. */
const COMPARISON = /[<>=~^]+\s*\S*|\S+/g;

function readPart(part: string): Result<readonly Comparison[], Fault> {
  const texts = [...part.matchAll(COMPARISON)];
  if (texts.length === 0) return problem({ at: -1 });
  const comparisons: Comparison[] = [];
  for (const { 0: text, index } of texts) {
    if (text === "-") continue;
    const read = readComparison(text);
    if (!read.ok) return problem({ ...read.problem, at: index + read.problem.at });
    comparisons.push(read.value);
  }
  const dash = texts.findLast(([text]) => text === "-");
  if (dash === undefined) return ok(comparisons);
  const span = texts.length === 3 && dash === texts[1] ? spanOf(comparisons) : undefined;
  return span === undefined ? problem({ at: dash.index }) : ok(span);
}

/** Two versions with a dash between. Where pre-releases are allowed, those of the first are within, though no suffix says so. */
function spanOf([from, to]: readonly Comparison[]): readonly Comparison[] | undefined {
  if (from?.sign !== "=" || to?.sign !== "=") return undefined;
  const suffix = from.suffix === "" ? undefined : from.suffix;
  return [
    { ...from, sign: ">=", suffix },
    { ...to, sign: "<=" },
  ];
}

/**
 * A sign, numbers with dots between, and a suffix, as far as they go: where they end before the text does, that is at fault. As npm does, it
 * takes `~>` and `~=` for `~`, and `^=` for `^`.
 */
const WELL_FORMED =
  /^(?:([<>]=?|[=~^])(?:(?<=[~^])=|(?<=~)>)?)?\s*v?(?:((?:\d+|[xX*])(?:\.(?:\d+|[xX*])){0,2})([-+][0-9A-Za-z.+-]*)?)?/;

function readComparison(text: string): Result<Comparison, Fault> {
  const [matched = "", sign = "=", parts, suffix = ""] = WELL_FORMED.exec(text) ?? [];
  if (parts === undefined || matched.length < text.length) return problem({ at: matched.length });
  const behind = text.length - suffix.length;
  const read = numbersOf(parts);
  if (!read.ok) return problem({ at: behind - parts.length + read.problem });
  const numbers = read.value;
  if (suffix !== "" && numbers.length < 3)
    return problem({ at: behind, why: "a suffix needs three numbers before it" });
  const prerelease = prereleaseOf(suffix);
  if (!prerelease.ok) return problem({ at: behind + prerelease.problem });
  return ok({ sign: sign as Sign, numbers, suffix: numbers.length < 3 ? undefined : prerelease.value });
}

/** The numbers up to the first x; or how far in the text stands a part that is none, or a number behind an x. */
function numbersOf(parts: string): Result<readonly number[], number> {
  const numbers: number[] = [];
  let [at, isBehindX] = [0, false];
  for (const part of parts.split(".")) {
    if (isX(part)) isBehindX = true;
    else if (isBehindX || !isNumber(part)) return problem(at);
    else numbers.push(Number(part));
    at += part.length + ".".length;
  }
  return ok(numbers);
}

const isX = (part: string): boolean => Number.isNaN(Number(part));
/** Without a zero in front, and such that JavaScript can tell it from the next one. */
const isNumber = (part: string): boolean => Number.isSafeInteger(Number(part)) && String(Number(part)) === part;

/** A pre-release and build metadata, as far as they go. */
const SUFFIX =
  /^(?:-((?:\d*[A-Za-z-][0-9A-Za-z-]*|0|[1-9]\d*)(?:\.(?:\d*[A-Za-z-][0-9A-Za-z-]*|0|[1-9]\d*))*))?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?/;

/**
 * The pre-release of a suffix, without its dash and without build metadata; or how far in the suffix it is none.
 *
 * @see https://semver.org/#spec-item-9
 */
function prereleaseOf(suffix: string): Result<string, number> {
  const [sound = "", prerelease = ""] = SUFFIX.exec(suffix) ?? [];
  return sound.length < suffix.length ? problem(sound.length) : ok(prerelease);
}

import { loadPatternCompiler } from "#adapters/re2js/matcher";
import { type CandidateTag, movedAtOf, nameOf } from "#domain/policy/candidate-tag";
import { type ExtractTemplate, parseTemplate } from "#domain/policy/extract-template";
import { parseGlob, type TagGlob } from "#domain/policy/tag-glob";
import type { TagFilter } from "#domain/policy/tag-filter";
import type { TagMatcher } from "#domain/policy/tag-pattern";
import type { Result } from "#domain/shared/result";
import { parseRange, rangeTakes, type VersionRange } from "#domain/version/range";
import type { Version } from "#domain/version/version";
import { type EpochMs, epochMs } from "#domain/shared/time";

/** Compiles patterns of RE2. */
export const compile = await loadPatternCompiler();

/** Answers what a parser read, of a text that is right. */
export function read<Value>(parsed: Result<Value, { readonly message: string }>): Value {
  if (!parsed.ok) throw new Error(parsed.problem.message);
  return parsed.value;
}

/** A pattern of RE2. */
export const pattern = (text: string): TagMatcher => read(compile(text));
/** A glob. */
export const glob = (text: string): TagGlob => read(parseGlob(text));
/** A template. */
export const template = (text: string): ExtractTemplate => read(parseTemplate(text));
/** A range. */
export const range = (text: string): VersionRange => read(parseRange(text));

/** Whether a version fits a range; missing parts are 0. */
export function fitsRange(taking: VersionRange, version: Version, allowPrerelease: boolean): boolean {
  const [major = 0, minor = 0, patch = 0] = version.parts;
  return rangeTakes(taking, { major, minor, patch }, version, { suffixes: "flavour", allowPrerelease });
}

/** A filter, as people write it. */
export function filter(written: {
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  readonly pattern?: string;
  readonly extract?: string;
}): TagFilter {
  return {
    include: (written.include ?? []).map(glob),
    exclude: (written.exclude ?? []).map(glob),
    patterns: written.pattern === undefined ? [] : [pattern(written.pattern)],
    ...(written.extract === undefined ? {} : { extract: template(written.extract) }),
  };
}

/** The instant so many minutes after the first of all. */
export const minute = (number: number): EpochMs => epochMs(Date.parse("2026-11-21T00:00:00Z") + number * 60_000);

/**
 * Reads `main` as a tag of which nothing is known, and `main@7` as one that moved in the seventh
 * minute.
 */
export function tag(text: string): CandidateTag {
  const [name = "", at] = text.split("@");
  return at === undefined ? name : { name, movedAt: minute(Number(at)) };
}

/** Writes a tag as {@link tag} reads it. */
export function shown(candidate: CandidateTag): string {
  const movedAt = movedAtOf(candidate);
  return movedAt === undefined ? nameOf(candidate) : `${nameOf(candidate)}@${(movedAt - minute(0)) / 60_000}`;
}

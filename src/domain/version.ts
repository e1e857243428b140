import { Range, SemVer } from "semver";
import { ok, problem, type Result } from "./result.ts";

/** A tag, read as a version. */
export interface Version {
  /** One to three numbers, as many as the tag has. */
  readonly parts: readonly number[];
  readonly prerelease: readonly (string | number)[];
  /** What follows the version and is no pre-release: `alpine`, `slim-bookworm`; empty for none. */
  readonly flavour: string;
  readonly text: string;
}

/** A range of versions, as npm understands it. */
export interface VersionRange {
  /** As a person wrote it. */
  readonly text: string;
  readonly range: Range;
}

const prereleaseWord = /^(?:alpha|beta|rc|pre|preview|dev|snapshot|canary|nightly|m|milestone|next|a|b)\.?\d*(?:\.\d+)*$/i;

/** Reads a tag as a version; undefined for everything else. Linear in the tag's length. */
export function parseVersion(tag: string): Version | undefined {
  const match = /^(?:version-|release-|v|V)?(\d+(?:\.\d+){0,2})(?:-(.+))?$/.exec(tag);
  if (match?.[1] === undefined) return undefined;
  const texts = match[1].split(".");
  if (texts.some((text) => (text.length > 1 && text.startsWith("0")) || !Number.isSafeInteger(Number(text)))) return undefined;
  const suffix = match[2]?.split("-") ?? [];
  const [first = ""] = suffix;
  const isPrerelease = prereleaseWord.test(first);
  const number = isPrerelease && suffix[1] !== undefined && /^\d+$/.test(suffix[1]) ? suffix[1] : undefined;
  const used = isPrerelease ? (number === undefined ? 1 : 2) : 0;
  const identifiers = suffix.slice(0, used).flatMap((part) => part.split("."));
  return {
    parts: texts.map(Number),
    prerelease: identifiers.map((part) => (/^\d+$/.test(part) ? Number(part) : part)),
    flavour: suffix.slice(used).join("-"),
    text: tag,
  };
}

/** Orders versions as SemVer does; the text decides between equals. */
export function compareVersions(left: Version, right: Version): number {
  return semverOf(left).compare(semverOf(right)) || (left.text < right.text ? -1 : left.text > right.text ? 1 : 0);
}

/** Reads a range; a comma, `=<` and `=>` are accepted. */
export function parseRange(text: string): Result<VersionRange, { readonly code: "range-invalid"; readonly message: string }> {
  try {
    return ok({ text, range: new Range(text.replaceAll(",", " ").replaceAll("=<", "<=").replaceAll("=>", ">=")) });
  } catch {
    return problem({ code: "range-invalid", message: `"${text}": not a range` });
  }
}

/** Says whether a version is in a range. */
export function fitsRange({ range }: VersionRange, version: Version, allowPrerelease: boolean): boolean {
  return new Range(range.raw, { includePrerelease: allowPrerelease }).test(semverOf(version));
}

function semverOf({ parts, prerelease }: Version): SemVer {
  const numbers = [0, 1, 2].map((index) => parts[index] ?? 0).join(".");
  return new SemVer(prerelease.length === 0 ? numbers : `${numbers}-${prerelease.join(".")}`);
}

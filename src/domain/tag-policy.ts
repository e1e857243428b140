import { compareNumbers, compareTexts } from "./version-order.ts";
import { rangeTakes, type VersionRange } from "./version-range.ts";
import {
  compareScans,
  emptyScan,
  scannedPrerelease,
  scanNumbers,
  scanSuffix,
  scanTag,
  type TagScan,
} from "./version-scan.ts";

/** Which tag of a repository a container is to run. `digest` follows the tag that it runs, wherever that moves. */
export type TagPolicy =
  | { readonly kind: "semver"; readonly range?: VersionRange; readonly allowPrerelease: boolean }
  | { readonly kind: "digest" };

/** What a container runs, as its manifest says. Without a tag there is nothing to compare with. */
export interface CurrentImage {
  readonly tag?: string;
  readonly digest?: string;
}

/**
 * What a policy wants. `elected`: another tag. `unchanged`: the running tag stays, though its digest may have moved.
 * `none`: there is nothing to run, and why.
 */
export type Election =
  | { readonly kind: "elected"; readonly tag: string }
  | { readonly kind: "unchanged"; readonly tag: string }
  | {
      readonly kind: "none";
      readonly reason: "no-tag-fits" | "would-downgrade" | "current-tag-not-a-version" | "no-tag-to-follow";
    };

/** Why a tag was no candidate. */
export const tagRejections = [
  "not-a-version",
  "other-flavour",
  "other-precision",
  "pre-release",
  "outside-range",
  "older-than-current",
  "not-the-running-tag",
] as const;
/** One of {@link tagRejections}. */
export type TagRejection = (typeof tagRejections)[number];

/** A tag that was no candidate. */
export interface RejectedTag {
  readonly tag: string;
  readonly reason: TagRejection;
}

/** What an election may do beside what its policy says. */
export interface ElectionOptions {
  /** Lets a lower version than the running one win, when it is the highest that fits. */
  readonly allowDowngrade: boolean;
}

type SemverPolicy = Extract<TagPolicy, { kind: "semver" }>;

/** What candidates must look like, for what runs now. `running` is missing when that is not a version. */
interface Candidates {
  readonly partCount: number;
  readonly flavour: string;
  readonly running: TagScan | undefined;
}

/** A number alone that is longer is a date or a build number, not a version. */
const LONGEST_BARE_VERSION = 99_999;

/**
 * Elects the tag that a container is to run.
 *
 * `semver`: the highest version that fits the range, of the running tag's flavour and number of parts; where the running tag is
 * not a version, of three parts and without flavour, and only if there is a range. It is never lower than the running one
 * unless a downgrade is allowed, and an equal version under another spelling changes nothing. A number alone is a version
 * only where a number alone runs, and up to five digits. `digest`: the running tag.
 *
 * The answer does not depend on the order of the tags, nor on how often one comes; a tag that can't be read rejects itself only.
 *
 * @param tags - those of the repository, or the pushed ones alone. For `digest` they may be left out.
 */
export function electTag(
  policy: TagPolicy,
  current: CurrentImage,
  tags: Iterable<string>,
  options: ElectionOptions,
): Election {
  switch (policy.kind) {
    case "semver": {
      const candidates = candidatesFor(policy, current);
      if (candidates === undefined) return { kind: "none", reason: "current-tag-not-a-version" };
      return verdict(highest(policy, candidates, tags), candidates, options);
    }
    case "digest":
      return follow(current, tags);
  }
}

/**
 * Elects as {@link electTag} does, and names every tag that was no candidate, in the order in which they came.
 *
 * Where what runs can't be compared at all, no tag was looked at, and none is named.
 */
export function explainElection(
  policy: TagPolicy,
  current: CurrentImage,
  tags: Iterable<string>,
  options: ElectionOptions,
): { readonly election: Election; readonly rejected: readonly RejectedTag[] } {
  const listed = [...tags];
  return {
    election: electTag(policy, current, listed, options),
    rejected: rejections(policy, current, listed, options),
  };
}

function rejections(
  policy: TagPolicy,
  current: CurrentImage,
  tags: readonly string[],
  options: ElectionOptions,
): readonly RejectedTag[] {
  switch (policy.kind) {
    case "semver": {
      const candidates = candidatesFor(policy, current);
      if (candidates === undefined) return [];
      const scan = emptyScan();
      return tags.flatMap((tag) => {
        const reason = scanTag(tag, scan)
          ? (unfit(scan, policy, candidates) ?? tooOld(scan, candidates, options))
          : "not-a-version";
        return reason === undefined ? [] : [{ tag, reason }];
      });
    }
    case "digest":
      return tags.flatMap((tag) => (tag === current.tag ? [] : [{ tag, reason: "not-the-running-tag" as const }]));
  }
}

function candidatesFor(policy: SemverPolicy, current: CurrentImage): Candidates | undefined {
  const running = emptyScan();
  if (current.tag !== undefined && scanTag(current.tag, running) && !isBuildNumber(running)) {
    return { partCount: running.partCount, flavour: current.tag.slice(running.flavourFrom), running };
  }
  return policy.range === undefined ? undefined : { partCount: 3, flavour: "", running: undefined };
}

function isBuildNumber(scan: TagScan): boolean {
  return scan.partCount === 1 && scan.major > LONGEST_BARE_VERSION;
}

/** Two scans take turns: one holds the highest so far, the other the tag that is looked at. */
function highest(policy: SemverPolicy, candidates: Candidates, tags: Iterable<string>): TagScan | undefined {
  let scan = emptyScan();
  let best = emptyScan();
  let found = false;
  for (const tag of tags) {
    // Most tags end at their numbers; neither the suffix is read nor the range asked.
    if (!scanNumbers(tag, scan) || (found && compareNumbers(scan, best) < 0) || !scanSuffix(scan)) continue;
    if (found && (compareScans(scan, best) || compareTexts(scan.text, best.text)) <= 0) continue;
    if (unfit(scan, policy, candidates) !== undefined) continue;
    [best, scan] = [scan, best];
    found = true;
  }
  return found ? best : undefined;
}

/** Why a scanned tag is no candidate, whatever version runs. */
function unfit(scan: TagScan, policy: SemverPolicy, wanted: Candidates): TagRejection | undefined {
  if (isBuildNumber(scan)) return "not-a-version";
  if (scan.bare && wanted.running?.bare !== true) return "not-a-version";
  if (!hasFlavour(scan, wanted.flavour)) return "other-flavour";
  if (scan.partCount !== wanted.partCount) return "other-precision";
  return outside(policy, scan);
}

function outside({ range, allowPrerelease }: SemverPolicy, scan: TagScan): TagRejection | undefined {
  const isRelease = scan.prereleaseFrom === scan.prereleaseTo;
  if (range === undefined) return isRelease || allowPrerelease ? undefined : "pre-release";
  if (scanFits(range, scan, allowPrerelease)) return undefined;
  return isRelease || !scanFits(range, scan, true) ? "outside-range" : "pre-release";
}

function hasFlavour(scan: TagScan, flavour: string): boolean {
  return scan.text.length - scan.flavourFrom === flavour.length && scan.text.endsWith(flavour);
}

function scanFits(range: VersionRange, scan: TagScan, allowPrerelease: boolean): boolean {
  return rangeTakes(range, scan, scannedPrerelease(scan), allowPrerelease);
}

function tooOld(scan: TagScan, { running }: Candidates, options: ElectionOptions): TagRejection | undefined {
  if (running === undefined || options.allowDowngrade) return undefined;
  return compareScans(scan, running) < 0 ? "older-than-current" : undefined;
}

function verdict(best: TagScan | undefined, { running }: Candidates, options: ElectionOptions): Election {
  if (best === undefined) return { kind: "none", reason: "no-tag-fits" };
  if (running === undefined) return { kind: "elected", tag: best.text };
  const order = compareScans(best, running);
  if (order === 0) return { kind: "unchanged", tag: running.text };
  if (order < 0 && !options.allowDowngrade) return { kind: "none", reason: "would-downgrade" };
  return { kind: "elected", tag: best.text };
}

/** A listing without the running tag means that it is gone; no listing means nothing. */
function follow(current: CurrentImage, tags: Iterable<string>): Election {
  const { tag } = current;
  if (tag === undefined) return { kind: "none", reason: "no-tag-to-follow" };
  let listed = false;
  for (const candidate of tags) {
    if (candidate === tag) return { kind: "unchanged", tag };
    listed = true;
  }
  return listed ? { kind: "none", reason: "no-tag-fits" } : { kind: "unchanged", tag };
}

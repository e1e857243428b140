import { compareVersions, fitsRange, parseVersion, type Version, type VersionRange } from "./version.ts";

/** How a tag is elected. */
export type TagPolicy =
  | { readonly kind: "semver"; readonly range?: VersionRange; readonly allowPrerelease: boolean }
  | { readonly kind: "digest" };

/** What runs now. */
export interface CurrentImage {
  readonly tag?: string;
  readonly digest?: string;
}

/** What a policy makes of a list of tags. */
export type Election =
  | { readonly kind: "elected"; readonly tag: string }
  | { readonly kind: "unchanged"; readonly tag: string }
  | { readonly kind: "none"; readonly reason: "no-tag-fits" | "would-downgrade" | "current-tag-not-a-version" | "no-tag-to-follow" };

/** Why a tag is no candidate. */
export type TagRejection =
  | "not-a-version"
  | "other-flavour"
  | "other-precision"
  | "pre-release"
  | "outside-range"
  | "older-than-current"
  | "not-the-running-tag";

/** Elects a tag; the order of the tags does not matter. */
export function electTag(policy: TagPolicy, current: CurrentImage, tags: Iterable<string>, options: { readonly allowDowngrade: boolean }): Election {
  return explainElection(policy, current, tags, options).election;
}

/** Elects a tag, and says of every other why it is not. */
export function explainElection(
  policy: TagPolicy,
  current: CurrentImage,
  tags: Iterable<string>,
  { allowDowngrade }: { readonly allowDowngrade: boolean },
): { readonly election: Election; readonly rejected: readonly { readonly tag: string; readonly reason: TagRejection }[] } {
  if (policy.kind === "digest") {
    if (current.tag === undefined) return { election: { kind: "none", reason: "no-tag-to-follow" }, rejected: [] };
    const others = [...tags].filter((tag) => tag !== current.tag).map((tag) => ({ tag, reason: "not-the-running-tag" as const }));
    return { election: { kind: "unchanged", tag: current.tag }, rejected: others };
  }
  const running = current.tag === undefined ? undefined : parseVersion(current.tag);
  if (running === undefined && policy.range === undefined)
    return { election: { kind: "none", reason: "current-tag-not-a-version" }, rejected: [] };
  const rejected: { tag: string; reason: TagRejection }[] = [];
  let best: Version | undefined;
  for (const tag of tags) {
    const version = parseVersion(tag);
    const reason = version === undefined ? "not-a-version" : rejection(policy, version, running);
    if (version === undefined || reason !== undefined) rejected.push({ tag, reason: reason ?? "not-a-version" });
    else if (best === undefined || compareVersions(version, best) > 0) best = version;
  }
  return { election: outcome(best, running, current, allowDowngrade), rejected };
}

function rejection(policy: Extract<TagPolicy, { kind: "semver" }>, version: Version, running: Version | undefined): TagRejection | undefined {
  if (version.flavour !== (running?.flavour ?? "")) return "other-flavour";
  if (version.parts.length !== (running?.parts.length ?? 3)) return "other-precision";
  if (policy.range !== undefined && !fitsRange(policy.range, version, policy.allowPrerelease)) return "outside-range";
  if (policy.range === undefined && version.prerelease.length > 0 && !policy.allowPrerelease) return "pre-release";
  return undefined;
}

function outcome(best: Version | undefined, running: Version | undefined, current: CurrentImage, allowDowngrade: boolean): Election {
  if (best === undefined) return { kind: "none", reason: "no-tag-fits" };
  if (best.text === current.tag) return { kind: "unchanged", tag: best.text };
  if (running !== undefined && !allowDowngrade && compareVersions(best, running) < 0) return { kind: "none", reason: "would-downgrade" };
  return { kind: "elected", tag: best.text };
}

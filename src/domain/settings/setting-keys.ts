import { ok } from "../shared/result.ts";
import { containersSetting } from "./container-json.ts";
import { gateKeys, unsupportedGateKeys } from "./gate-settings.ts";
import { readAddress, readText, readTimeout, type ReadValue } from "./setting-values.ts";
import { annotationPrefix } from "./written-settings.ts";

/** Settings that a container may have of its own, as `container.<name>.<setting>`. */
export const containerSettings: ReadonlySet<string> = new Set([
  "enabled",
  "policy",
  "semver-range",
  "include-tags",
  "exclude-tags",
  "tag-pattern",
  "filter-extract",
  "order",
  "strategy",
  "apply",
  "allow-prerelease",
  "allow-downgrade",
  "registry",
  "repository",
]);

/** Known settings that this version lacks. They hold updates instead of being ignored. */
export const keysOfOtherVersions: ReadonlySet<string> = new Set(unsupportedGateKeys);

/** Settings of a workload, without their prefix. */
export const workloadKeys: ReadonlySet<string> = new Set([
  ...containerSettings,
  containersSetting,
  "suspend",
  "maintenance-window",
  "maintenance-days",
  "maintenance-cron",
  "maintenance-tz",
  "blackout-window",
  "blackout-days",
  "blackout-cron",
  "auto-rollback",
  "rollback-timeout",
  "allow-declared-source",
  ...gateKeys,
  "approval-required",
  "approvals",
  "approval-deadline",
  "approved-by",
  "approved-image",
  "approve",
]);

/** Known settings that limit nothing, and how they are read. This version uses only `interval`. */
export const noticeOnly: ReadonlyMap<string, ReadValue<unknown>> = new Map<string, ReadValue<unknown>>([
  ["interval", readTimeout],
  ["notify-slack", readText("a channel or an address")],
  ["notify-webhook", readAddress],
  ["previous-image", ok],
]);

/**
 * The setting that stands for annotations of more than {@link mostCharacters}. It may not be
 * written.
 */
export const tooLargeSetting = "too-large";
/** The characters of a workload's settings that are read and stored. */
export const mostCharacters = 32_768;
/** Settings of a workload that may change while people decide: votes, a stop of everything, and notices. */
const notGating: ReadonlySet<string> = new Set([
  ...["approved-by", "approved-image", "approve", "suspend"],
  ...noticeOnly.keys(),
]);

/** Returns whether an annotation with a setting may change what an update does, or whether it may go. */
export function isGatingAnnotation(key: string): boolean {
  return !key.startsWith(annotationPrefix) || !notGating.has(key.slice(annotationPrefix.length));
}

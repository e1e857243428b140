import { ok } from "../shared/result.ts";
import { containersSetting } from "./container-json.ts";
import { gateKeys, unsupportedGateKeys } from "./gate-settings.ts";
import { rollbackTargetKey } from "./rollback-target.ts";
import { readAddress, readText, readTimeout, type ReadValue } from "./setting-values.ts";
import { annotationPrefix } from "./written-settings.ts";

/** The settings that a single container may have, as `container.<name>.<setting>`. */
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

/** The known settings that this version lacks. They hold updates instead of being ignored. */
export const keysOfOtherVersions: ReadonlySet<string> = new Set([...unsupportedGateKeys, rollbackTargetKey]);

/** The settings of a workload, without their prefix. */
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

/** The parsers of known settings that limit no update. This version uses only `interval`. */
export const noticeOnly: ReadonlyMap<string, ReadValue<unknown>> = new Map<string, ReadValue<unknown>>([
  ["interval", readTimeout],
  ["notify-slack", readText("a channel or an address")],
  ["notify-webhook", readAddress],
  ["previous-image", ok],
]);

/**
 * The setting that replaces annotations of more than {@link mostCharacters} characters. Users may
 * not write it.
 */
export const tooLargeSetting = "too-large";
/** The largest number of characters of settings that Lookout reads and stores. */
export const mostCharacters = 32_768;
/**
 * The settings that may change while an update waits for approval: votes, suspension and notices.
 */
const notGating: ReadonlySet<string> = new Set([
  ...["approved-by", "approved-image", "approve", "suspend"],
  ...noticeOnly.keys(),
]);

/** Returns whether an annotation may change an update, or open or close its gates. */
export function isGatingAnnotation(key: string): boolean {
  return !key.startsWith(annotationPrefix) || !notGating.has(key.slice(annotationPrefix.length));
}

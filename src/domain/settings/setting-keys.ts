import { gateSettings } from "../gates/index.ts";
import { containersSetting } from "./container-json.ts";
import { rollbackTargetKey } from "./rollback-target.ts";

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
  "suffixes",
  "allow-downgrade",
  "registry",
  "repository",
]);

/**
 * The known settings that this version does not support. These settings hold updates, because
 * Lookout can't obey them yet.
 */
export const keysOfOtherVersions: ReadonlySet<string> = new Set(gateKeys(false));

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
  rollbackTargetKey,
  "pull-grace",
  "allow-declared-source",
  "together",
  ...gateKeys(true),
  "approval-required",
  "approvals",
  "approval-deadline",
  "approved-by",
  "approved-image",
  "approve",
]);

/**
 * The setting that replaces annotations of more than {@link mostCharacters} characters. Users may
 * not write this setting.
 */
export const tooLargeSetting = "too-large";
/**
 * The setting that says why Lookout can't update an object of another operator. The read of the
 * object adds it, and nobody needs to write it.
 */
export const unusableSetting = "unusable-object";
/** The largest number of characters of settings that Lookout reads and stores. */
export const mostCharacters = 32_768;

function gateKeys(isSupported: boolean): readonly string[] {
  return gateSettings.filter((setting) => setting.isSupported === isSupported).map(({ key }) => key);
}

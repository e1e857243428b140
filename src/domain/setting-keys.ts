/** Settings that a container may have of its own, as `container.<name>.<setting>`. */
export const containerSettings: ReadonlySet<string> = new Set([
  "enabled",
  "policy",
  "semver-range",
  "strategy",
  "apply",
  "allow-prerelease",
  "allow-downgrade",
]);

/** Settings of a workload, without their prefix. */
export const workloadKeys: ReadonlySet<string> = new Set([
  ...containerSettings,
  "suspend",
  "maintenance-window",
  "maintenance-days",
  "maintenance-tz",
  "auto-rollback",
  "rollback-timeout",
  "allow-declared-source",
]);

/** Known settings that limit updates and that this version can't honour: they close updates rather than being passed over. */
export const keysOfOtherVersions: ReadonlySet<string> = new Set([
  "tag-pattern",
  "include-tags",
  "exclude-tags",
  "filter-extract",
  "order",
  "registry",
  "repository",
  "approval-required",
  "approved-by",
  "approved-image",
  "approvals",
  "approval-deadline",
  "min-age",
  "platforms",
  "tier",
  "max-severity",
  "signed-by",
  "rollback-to",
]);

/** Known settings that limit nothing and that this version does not use. */
export const noticeOnly: ReadonlySet<string> = new Set(["interval", "notify-slack", "notify-webhook", "previous-image"]);

/** Names the known key that is nearest to a misspelt one, by the number of letters to change; the first of equals. */
export function closestKey(key: string): string {
  const known = [...workloadKeys, ...keysOfOtherVersions, ...noticeOnly].sort();
  return known.reduce((best, candidate) => (distance(candidate, key) < distance(best, key) ? candidate : best));
}

function distance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (const [position, letter] of [...left].entries()) {
    const next = [position + 1];
    for (const [index, other] of [...right].entries()) {
      const replaced = (row[index] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[index + 1] ?? 0) + 1, (next[index] ?? 0) + 1));
    }
    row = next;
  }
  return row[right.length] ?? 0;
}

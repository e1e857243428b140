import { semverSelector, type VersionRule } from "./semver.ts";
import type { TagFilter } from "./tag-filter.ts";
import type { CurrentImage, TagSelector } from "./tag-selector.ts";

/** Always selects the running tag. Ranks versions too, so that users see the highest version. */
export function pinnedSelector(
  rule: Omit<VersionRule, "allowDowngrade">,
  current: CurrentImage | undefined,
  filter: TagFilter,
): TagSelector {
  const { tag } = current ?? {};
  return {
    ...semverSelector({ ...rule, allowDowngrade: false }, current, filter),
    select: () => (tag === undefined ? { kind: "none", reason: "no-tag-to-follow" } : { kind: "unchanged", tag }),
  };
}

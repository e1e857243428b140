import { isTag } from "../image/reference.ts";
import { ok, problem } from "../shared/result.ts";
import type { SettingScope } from "../annotations/setting-reader.ts";
import { notSupported, type ReadValue } from "../annotations/setting-values.ts";

/** The setting with the target of a rollback, without its prefix. */
export const rollbackTargetKey = "rollback-to";

/** The default target of a rollback. */
const previous = "previous";

const readTarget: ReadValue<string> = (text) =>
  isTag(text.trim()) ? ok(text.trim()) : problem(`expected ${previous} or a tag, such as 1.4.2`);

/**
 * Returns the tag to which a rollback returns, or undefined for the previous image. This version
 * can't return to a tag, so a tag holds updates.
 */
export function readRollbackTarget({ read, refuse }: SettingScope): string | undefined {
  const target = read(rollbackTargetKey, readTarget);
  if (target === undefined || target === previous) return undefined;
  refuse(rollbackTargetKey, notSupported);
  return target;
}

import { isTag } from "../image/reference.ts";
import { ok, problem } from "../shared/result.ts";
import type { SettingScope } from "../annotations/setting-reader.ts";
import type { ReadValue } from "../annotations/setting-values.ts";

/** The setting with the target of a rollback, without its prefix. */
export const rollbackTargetKey = "rollback-to";

/** The default target of a rollback. */
const previous = "previous";

const readTarget: ReadValue<string> = (text) =>
  isTag(text.trim()) ? ok(text.trim()) : problem(`expected ${previous} or a tag, such as 1.4.2`);

/** Returns the tag to which a rollback returns, or undefined for the previous image. */
export function readRollbackTarget({ read }: SettingScope): string | undefined {
  const target = read(rollbackTargetKey, readTarget);
  return target === previous ? undefined : target;
}

import type { WorkloadView } from "#contracts/api/workloads";
import type { Style } from "./style.ts";
import { relative } from "./time.ts";

type Blocked = Pick<WorkloadView, "blocked">;

/** Returns blocked tags in words: `1.4.66 is blocked`, `1.4.66 and 2 more are blocked`. */
export function blockedWords({ blocked }: Blocked): string {
  const [last, ...others] = new Set(blocked.map(({ tag }) => tag));
  if (last === undefined) return "";
  return others.length === 0 ? `${last} is blocked` : `${last} and ${others.length} more are blocked`;
}

/**
 * Returns the last blocked version with its cause, and the number of further ones: `1.4.66 is
 * blocked: failed here (rollout failed) 2 h ago`, `2 more blocked`. Empty without a blocked version.
 */
export function blockedTexts({ blocked }: Blocked, style: Style): readonly string[] {
  const [last, ...others] = blocked;
  if (last === undefined) return [];
  const { tag, cause, at } = last;
  // The cause of a person's block ends with its instant.
  const text = `${tag} is blocked: ${cause.replace(/ at \S+Z$/, "")} ${relative(at, style)}`;
  return [text, ...(others.length === 0 ? [] : [`${others.length} more blocked`])];
}

/** Returns the blocked versions without those of an update. */
export function blockedBeside({ blocked }: Blocked, seq: number | undefined): Blocked {
  return { blocked: blocked.filter((one) => one.seq !== seq) };
}

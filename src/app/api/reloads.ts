import type { CheckView } from "#contracts/api/doctor";
import type { ReloadView } from "#contracts/api/process";
import { toIso } from "#domain/shared/time";
import type { Reload } from "#ports/reloads";

/** Returns the view of the last read of a file. */
export function reloadView({ loadedAt, failure, expiresAt, ...same }: Reload): ReloadView {
  return {
    ...same,
    loadedAt: toIso(loadedAt),
    ...(failure === undefined ? {} : { failure: { ...failure, at: toIso(failure.at) } }),
    ...(expiresAt === undefined ? {} : { expiresAt: toIso(expiresAt) }),
  };
}

/** Returns whether a file needs a user. */
export function needsUser({ failure, needsRestart, doubt }: Reload): boolean {
  return failure !== undefined || needsRestart !== undefined || doubt !== undefined;
}

/** Returns the check of a file. */
export function reloadCheck({ part, file, loadedAt, failure, needsRestart, doubt }: Reload): CheckView {
  const inForce = `the content of ${toIso(loadedAt)} is in force`;
  if (failure !== undefined)
    return {
      check: part,
      verdict: "wrong",
      detail: `${failure.detail}; ${inForce}`,
      remedy: `Mend ${file}. Lookout reads it again when it changes.`,
    };
  if (doubt !== undefined)
    return { check: part, verdict: "wrong", detail: `${file}: ${doubt}`, remedy: `Replace ${file} and its key.` };
  if (needsRestart !== undefined)
    return {
      check: part,
      verdict: "doubtful",
      detail: `${file} is in force, except the changes of ${needsRestart.join(", ")}`,
      remedy: "Restart Lookout.",
    };
  return { check: part, verdict: "well", detail: `${file} is in force since ${toIso(loadedAt)}` };
}

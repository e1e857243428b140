import { type DurationMs, type EpochMs, parseInstant, plus, toIso } from "#domain/shared/time";

/** A copy in the folder `backups`. */
export interface Copy {
  readonly name: string;
  readonly at: EpochMs;
}

/** Matches the names of drafts, with the files that SQLite adds beside them. */
export const draftPattern = /^draft\.[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?:-journal|-wal|-shm)?$/;

const copyPattern = /^state-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.db$/;

/** Returns the name of a copy: `state-20261121T184553Z.db`, in UTC. Names sort by time. */
export function copyName(at: EpochMs): string {
  return `state-${toIso(at).slice(0, 19).replaceAll(/[-:]/g, "")}Z.db`;
}

/**
 * Returns the copies among the names of files, the newest first. A copy of a later instant is no
 * copy, because a clock was wrong. So it delays no copy, and stays.
 */
export function copiesAmong(names: readonly string[], now: EpochMs): readonly Copy[] {
  const copies = names.flatMap((name) => {
    const at = parseInstant(name.replace(copyPattern, "$1-$2-$3T$4:$5:$6Z"));
    return at === undefined || at > now || copyName(at) !== name ? [] : [{ name, at }];
  });
  return copies.toSorted((one, other) => other.at - one.at);
}

/**
 * Returns whether an instant is less than a duration ago. An instant after now is not recent,
 * because a clock was wrong.
 */
export function isRecent(at: EpochMs | undefined, duration: DurationMs, now: EpochMs): boolean {
  return at !== undefined && at <= now && now < plus(at, duration);
}

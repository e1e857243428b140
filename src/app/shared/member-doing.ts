import { reasons } from "#domain/shared/reasons";
import type { EpochMs } from "#domain/shared/time";
import type { ActiveUpdate, WorkloadRecord } from "#domain/update/state/workload";
import { currentImage } from "#domain/update/decide/desired-image";
import { blockCause } from "#domain/workload/block-reason";
import type { ImageChange } from "#domain/workload/patch";

/** What a member of a tier does now, in a few words, and since when. */
export interface MemberDoing {
  readonly does: string;
  readonly since?: EpochMs;
}

/**
 * Returns what a member of a tier does now: rolls out, is held, or runs.
 *
 * @param images - the images that somebody waits for. If one is blocked there, nothing else matters.
 */
export function doingOf(record: WorkloadRecord, images: readonly ImageChange[] = []): MemberDoing {
  const { active, pending, hold, suspension, blocked } = record;
  if (active !== undefined)
    return { does: `${activeWords[active.status]} ${tagsOf(active.changes)}`, since: sinceOf(active) };
  const failed = blocked.find(({ digest }) => images.some((image) => image.digest === digest));
  if (failed !== undefined) {
    const cause = blockCause(failed).replace(" here", "");
    return { does: `runs ${tagsRun(record)}; ${failed.tag} ${cause}`, since: failed.at };
  }
  if (suspension !== undefined) return { does: "updates are suspended", since: suspension.at };
  if (hold !== undefined) return { does: "updates are held after a revert", since: hold.at };
  if (pending !== undefined) {
    const why = pending.waits.map(({ reason }) => reasons[reason].short).join(", ");
    return { does: `holds ${tagsOf(pending.changes)}: ${why}`, since: pending.selectedAt };
  }
  const runs = `runs ${tagsRun(record)}`;
  const [kept] = record.kept ?? [];
  if (kept !== undefined) return { does: `${runs}: ${kept.by} requested ${kept.tag}`, since: kept.at };
  const [failure] = record.selectionFailures;
  if (failure !== undefined) return { does: `${runs}: ${reasons[failure.reason].short}`, since: record.changedAt };
  const last = blocked.at(-1);
  if (last !== undefined) return { does: `${runs}, ${last.tag} is blocked`, since: last.at };
  return { does: runs };
}

const activeWords: Readonly<Record<ActiveUpdate["status"], string>> = {
  released: "starts",
  patching: "starts",
  "rolling-out": "rolls out",
  "rolling-back": "rolls back",
};

function sinceOf(active: ActiveUpdate): EpochMs {
  return "patchedAt" in active ? active.patchedAt : active.releasedAt;
}

function tagsOf(changes: readonly ImageChange[]): string {
  return [...new Set(changes.map(({ tag }) => tag))].join(", ");
}

function tagsRun({ observed }: WorkloadRecord): string {
  const tags = observed.containers.flatMap((container) => currentImage(container).tag ?? []);
  return tags.length === 0 ? "an image without a tag" : [...new Set(tags)].join(", ");
}

import type { Reason } from "../shared/reasons.ts";
import type { EpochMs } from "../shared/time.ts";
import { blockCause } from "../update/state/block-reason.ts";
import { withoutUndefined } from "../shared/without-undefined.ts";
import type { ActiveUpdate, WorkloadRecord } from "../update/state/workload.ts";
import type { ImageChange } from "../workload/patch.ts";
import type { ContainerState } from "../workload/observed.ts";
import { repositoryOf } from "../update/decide/desired-image.ts";
import { imageNameOf } from "../image/reference.ts";

/** What a member of a tier may do, as those who wait for it see it. */
export const memberStates = ["rolling-out", "rolling-back", "held", "failed", "suspended", "runs"] as const;
/** One of {@link memberStates}. */
export type MemberStateName = (typeof memberStates)[number];

/** What a member of a tier does, and since when. */
export interface MemberState {
  readonly what: MemberStateName;
  /** The tag that runs. */
  readonly runs?: string;
  /** The tag that rolls out, is held or failed. Absent if the member only runs. */
  readonly tag?: string;
  readonly since?: EpochMs;
  /** Why the member does not get the tag again. Absent if it failed on none. */
  readonly cause?: string;
  /** Why the tag is held. Absent if it is not. */
  readonly waits?: readonly Reason[];
}

type Member = Pick<WorkloadRecord, "active" | "pending" | "last" | "blocked" | "suspension" | "observed" | "changedAt">;

/** Returns what a member does, for a workload that waits until the member has run `changes`. */
export function memberState(member: Member, changes: readonly ImageChange[]): MemberState {
  const { active, pending, last, blocked, suspension, observed } = member;
  const container = observed.containers.find((one) => changes.some((change) => isSame(one, change)));
  const runs = container === undefined ? undefined : repositoryOf(container)?.tag;
  const tagIn = (update: { readonly changes: readonly ImageChange[] }): string | undefined =>
    (update.changes.find(({ name }) => name === container?.name) ?? update.changes[0])?.tag;
  if (active !== undefined) {
    const what = active.status === "rolling-back" ? "rolling-back" : "rolling-out";
    return withoutUndefined<MemberState>({ what, runs, tag: tagIn(active), since: sinceOf(active) });
  }
  const failed = blocked.find(({ digest }) => changes.some((change) => change.digest === digest));
  if (failed !== undefined)
    return withoutUndefined<MemberState>({
      what: "failed",
      runs,
      tag: failed.tag,
      since: failed.at,
      cause: blockCause(failed).replace(" here", ""),
    });
  if (suspension !== undefined) return withoutUndefined<MemberState>({ what: "suspended", runs, since: suspension.at });
  if (pending !== undefined) {
    const waits = pending.waits.map(({ reason }) => reason);
    return withoutUndefined<MemberState>({
      what: "held",
      runs,
      tag: tagIn(pending),
      since: pending.selectedAt,
      waits,
    });
  }
  return withoutUndefined<MemberState>({ what: "runs", runs, since: last?.endedAt });
}

function isSame(container: ContainerState, { list, name, imageName }: ImageChange): boolean {
  const reference = repositoryOf(container);
  const isNamed = container.list === list && container.name === name;
  return isNamed || (reference !== undefined && imageNameOf(reference) === imageName);
}

function sinceOf(update: ActiveUpdate): EpochMs {
  return "patchedAt" in update ? update.patchedAt : update.selectedAt;
}

import { isPreferred } from "../../policy/young-tags.ts";
import { filterOf } from "../../policy/policy.ts";
import { filterSteps } from "../../policy/tag-filter.ts";
import type { ContainerSettings, WorkloadSettings } from "../../settings/settings.ts";
import { epochMs } from "../../shared/time.ts";
import type { ContainerState } from "../../workload/observed.ts";
import { currentImage, isFrom } from "../decide/desired-image.ts";
import type { BlockedDigest, WorkloadRecord } from "./workload.ts";

/** A blocked digest that no higher running version has replaced. */
export interface BlockedVersion {
  /** The containers that would get the digest if it were not blocked. Never empty. */
  readonly containers: readonly string[];
  readonly blocked: BlockedDigest;
}

/**
 * Returns the blocked digests that a workload would get otherwise, the last blocked one first. A
 * digest is left out when a higher version runs, or when the policy would not take its tag.
 *
 * Status, explanation and API show this list.
 */
export function blockedVersions(
  record: WorkloadRecord,
  settings: Pick<WorkloadSettings, "containers">,
): readonly BlockedVersion[] {
  return record.blocked.toReversed().flatMap((blocked) => {
    const containers = record.observed.containers.filter((container) => {
      const own = settings.containers[container.name];
      return own !== undefined && isFrom(container, blocked.imageName) && keepsFrom(container, own, blocked, record);
    });
    return containers.length === 0 ? [] : [{ containers: containers.map(({ name }) => name), blocked }];
  });
}

/** The most matching steps of one tag. With more, the tag is not matched, and stays in the list. */
const mostSteps = 10_000;

/** The last instant. A tag that moves then is newer than any other tag. */
const lastInstant = epochMs(8.64e15);

/** Returns whether a block keeps a container from an image that its policy would select. */
function keepsFrom(
  container: ContainerState,
  own: ContainerSettings,
  blocked: BlockedDigest,
  record: WorkloadRecord,
): boolean {
  const { tag, digest } = blocked;
  const isSelected = record.selectionFailures.some(
    (failure) => failure.container === container.name && failure.digest === digest,
  );
  if (isSelected || filterSteps(filterOf(own), tag) > mostSteps) return true;
  const current = currentImage(container);
  if (current.tag === undefined) return false;
  if (current.tag === tag) return !isReplaced(container, blocked, record);
  if (isPreferred(own, current, tag, current.tag)) return true;
  const moved = { name: tag, movedAt: lastInstant };
  return isPreferred(own, current, moved, current.tag) && !isReplaced(container, blocked, record);
}

/**
 * Returns whether a container runs a later update than the blocked one, and the evaluation after
 * that update did not select the blocked digest. Only this shows which of two pushes was later.
 */
function isReplaced(
  { list, name, digest }: ContainerState,
  blocked: BlockedDigest,
  { landed, needsEvaluation }: WorkloadRecord,
): boolean {
  const isLater = landed !== undefined && landed.seq > blocked.seq && needsEvaluation !== true;
  return isLater && landed.changes.some((one) => one.list === list && one.name === name && one.digest === digest);
}

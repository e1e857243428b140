import type { ImageName } from "../image/reference.ts";
import type { Reason } from "../shared/reasons.ts";
import type { EpochMs } from "../shared/time.ts";
import type { ContainerList, WorkloadName } from "../workload/workload.ts";

/** The place of a workload among the tiers of `lookout.yaml`. */
export interface TierPlace {
  /** The name of the group whose members belong together: `shop/api`. */
  readonly group: string;
  readonly tier: string;
}

/** The place of a record. `misplaced`: why its own tier or group can't be, so that it is not where it wants to be. */
export interface StoredTierPlace extends TierPlace {
  readonly misplaced?: string;
}

/** A container, by its name and by the repository of its image. */
export interface TierContainer {
  readonly list: ContainerList;
  readonly name: string;
  readonly imageName: ImageName;
}

/** An image that an update brought to a container with success. */
export interface RanImage extends TierContainer {
  readonly tag: string;
  readonly digest: string;
  /** The instant at which Lookout learned of the image. */
  readonly foundAt: EpochMs;
  /** The instant at which the update succeeded. */
  readonly at: EpochMs;
}

/** The most images that a record remembers, so that it fits into one item. */
export const mostRan = 100;
/** The most blocked digests of a member. An older one no longer counts as run, so it stays closed. */
export const mostHalted = 10;

/** An image that a member does not get again, because it failed there or a person took it away. */
export interface HaltedImage {
  readonly imageName: ImageName;
  readonly tag: string;
  readonly digest: string;
  readonly reason: Reason;
  readonly by?: string;
  readonly at: EpochMs;
}

/** What members of lower tiers read of a member. It is stored with the record that changes it. */
export interface TierMember extends StoredTierPlace {
  readonly workload: WorkloadName;
  /** The containers with the tags and digests that they run. */
  readonly containers: readonly (TierContainer & { readonly tag?: string; readonly digest?: string })[];
  /** The images that ran, the latest success first. */
  readonly ran: readonly RanImage[];
  /** The blocked images, the last one first. */
  readonly halted: readonly HaltedImage[];
  /** True if updates of the member are suspended, so that nobody waits for it. */
  readonly suspended?: true;
  /** True if an image that fails on the member does not halt the later tiers. */
  readonly mayFail?: true;
  /** True if the stored member can't be read, so that it may have any container. */
  readonly isUnreadable?: true;
  /** The instant at which it left its place. What failed on it stays there. Absent if it is there. */
  readonly leftAt?: EpochMs;
}

/** Returns the members that are in their places. */
export function presentOf(members: readonly TierMember[]): readonly TierMember[] {
  return members.filter(({ leftAt }) => leftAt === undefined);
}

/** The change of what lower tiers read of a workload, by one version of its record. */
export interface TierChange {
  /** What is stored from this version on. Absent if the workload is no member of a tier. */
  readonly puts?: TierMember;
  /** What the workload was in the place that it left. Absent if it had none, or stays. */
  readonly leaves?: TierMember & { readonly leftAt?: EpochMs };
}

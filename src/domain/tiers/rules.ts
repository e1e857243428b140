import type { ImageName } from "../image/reference.ts";
import type { DurationMs } from "../shared/time.ts";

/** A tier of `lookout.yaml`. */
export interface Tier {
  readonly name: string;
  /**
   * The share that this tier takes of the workloads of the next tier without a share, in percent from
   * 1 to 99. Absent if the tier takes no share.
   */
  readonly percent?: number;
  /** The time for which the members must have run an image before the next tier gets it. */
  readonly soak: DurationMs;
  /** True if an image that failed in this tier never reaches the next one. */
  readonly haltOnFailure: boolean;
  /**
   * The image that its members shall run before a later tier gets its own one, as a definition says. Absent: they shall
   * run the image that the later tier wants.
   */
  readonly image?: { readonly imageName: ImageName; readonly tag: string };
  /** Patterns of the namespaces whose workloads are in this tier: `NAMESPACE` or `CLUSTER/NAMESPACE`. */
  readonly namespaces: readonly string[];
}

/** The tiers of `lookout.yaml`, and how workloads come to them. */
export interface TierRules {
  /** The tiers in the order of their updates. Empty if all workloads are updated at once. */
  readonly tiers: readonly Tier[];
  /** The label whose value is the tier of a workload. Absent if no label says it. */
  readonly tierLabel?: string;
  /** The label whose value is the group of a workload. Absent if no label says it. */
  readonly tierGroupLabel?: string;
  /** The tiers of whole clusters. */
  readonly clusters: readonly { readonly name: string; readonly tier?: string }[];
}

/** The rules of an installation without tiers. */
export const withoutTiers: TierRules = { tiers: [], clusters: [] };

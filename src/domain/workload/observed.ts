import type { SkipReason } from "../shared/reasons.ts";
import type { EpochMs } from "../shared/time.ts";
import type { Placement } from "./placement.ts";
import type { PullPolicy } from "./pull-policy.ts";
import type { ContainerList, FieldOwner } from "./workload.ts";

/**
 * The largest number of containers of a pod. Lookout does not update a pod with more containers.
 */
export const mostContainers = 200;

/** The stored advice about the tags of a container that were not selected. */
export interface StoredAdvice {
  /** The newer tags that the policy skipped. Absent if it skipped none. */
  readonly skipped?: { readonly count: number; readonly reason: SkipReason };
  /** Annotations without their prefix, that would follow the tags. Absent if none would. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A container at the last observation. */
export interface ContainerState {
  readonly list: ContainerList;
  readonly name: string;
  readonly image: string;
  /** Present if the object had no image: `image` is the repository that `lookout.yaml` names for its first one. */
  readonly isUnset?: true;
  /** The registry's own host, if the image names an alias. */
  readonly registry?: string;
  /** The `imagePullPolicy`. Absent if the object has none. */
  readonly pullPolicy?: PullPolicy;
  /** The running digest, from the image or its pods: the digest of an index or of a platform. */
  readonly digest?: string;
  /** The digests that the pods report. Absent if they report one, or the image has a digest. */
  readonly digests?: readonly string[];
  /**
   * The digest that the tag had when Lookout first saw this image text.
   *
   * The same tag causes an update only if the tag moves later. Absent if Lookout has not asked the
   * registry yet.
   */
  readonly baseline?: string;
  /**
   * The tag that would be selected without the policy `pinned`. Absent if no tag would be selected,
   * or the container has another policy.
   */
  readonly available?: string;
  /** The advice about tags that were not selected. Absent if there is none. */
  readonly advice?: StoredAdvice;
  /**
   * The instant at which Lookout first saw this image text. Lookout assumes that the author of the
   * text knew all earlier moves of tags. Absent if Lookout wrote the text.
   */
  readonly seenAt?: EpochMs;
  readonly imageOwner?: FieldOwner;
  /**
   * The last image that anyone but Lookout wrote. Lookout's updates keep it. Absent if Lookout wrote
   * the image before the first observation.
   */
  readonly applied?: string;
  /** The writer of `applied`. Absent if the object does not show it. */
  readonly appliedBy?: FieldOwner;
}

/** The observed parts of a workload that decisions use. */
export interface Observed {
  readonly containers: readonly ContainerState[];
  /** The annotations with settings. */
  readonly annotations: Readonly<Record<string, string>>;
  /** The labels and annotations of a declared source. */
  readonly sourceMarks: Readonly<Record<string, string>>;
  /** The labels of the object that {@link keptLabels} returns. Absent if there are none. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly updateLabel?: string;
  readonly restartedAt?: string;
  readonly controller?: string;
  /** Present if `spec.paused` of the Deployment is true. */
  readonly paused?: true;
  /** The rules about the nodes of the pods. Absent if the pods may land on every node. */
  readonly placement?: Placement;
}

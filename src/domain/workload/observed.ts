import type { EpochMs } from "../shared/time.ts";
import type { Placement } from "./placement.ts";
import type { ContainerList } from "./workload.ts";

/** The most containers of a pod that Lookout reads. A pod with more of them is not updated. */
export const mostContainers = 200;

/** A container at the last observation. */
export interface ContainerState {
  readonly list: ContainerList;
  readonly name: string;
  readonly image: string;
  /** The registry's own host, if the image names an alias. */
  readonly registry?: string;
  /** The digest that runs, by its pin or its pods: an index's or a platform's. */
  readonly digest?: string;
  /**
   * The digest of the tag when Lookout first saw this image text.
   *
   * Only a tag that moves later is updated. Absent: the registry was not asked yet.
   */
  readonly baseline?: string;
  /** Under the policy `pinned`: the tag that would be selected without it. Absent: none. */
  readonly available?: string;
  /**
   * When Lookout first saw this image text. Its author knew of all earlier moves. Absent: Lookout
   * wrote it.
   */
  readonly seenAt?: EpochMs;
  readonly imageOwner?: { readonly manager: string; readonly operation: "Apply" | "Update" };
}

/** The observed parts of a workload that decisions use. */
export interface Observed {
  readonly containers: readonly ContainerState[];
  /** The annotations with settings. */
  readonly annotations: Readonly<Record<string, string>>;
  /** The labels and annotations of a declared source. */
  readonly sourceMarks: Readonly<Record<string, string>>;
  /** The labels of the object, without Lookout's own. Absent: it has none. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly updateLabel?: string;
  readonly restartedAt?: string;
  readonly controller?: string;
  /** Present: `spec.paused` of a Deployment. */
  readonly paused?: true;
  /** The rules about the nodes of the pods. Absent: on every node. */
  readonly placement?: Placement;
}

import type { EpochMs } from "../shared/time.ts";
import type { ContainerList } from "./workload.ts";

/** A container as Lookout last saw it. */
export interface ContainerState {
  readonly list: ContainerList;
  readonly name: string;
  readonly image: string;
  /** The registry's own host, where the image names it by an alias. */
  readonly registry?: string;
  /** What it runs, by its pin or by its pods: an index's digest or a platform's. */
  readonly digest?: string;
  /**
   * What the registry said of the tag when Lookout first saw this image text. A tag that still names it is no reason to update:
   * Lookout acts only on a tag that moves later. Absent: the registry was not asked yet.
   */
  readonly baseline?: string;
  /**
   * When Lookout first saw this image text, where it did not write it itself: whoever did knew of what moved before. Absent: it is
   * Lookout's own.
   */
  readonly seenAt?: EpochMs;
  readonly imageOwner?: { readonly manager: string; readonly operation: "Apply" | "Update" };
}

/** The workload as Lookout last saw it, in the parts that decisions rest on. */
export interface Observed {
  readonly containers: readonly ContainerState[];
  /** The annotations of the object that settings are read from. */
  readonly annotations: Readonly<Record<string, string>>;
  /** Labels and annotations that tell a declared source. */
  readonly sourceMarks: Readonly<Record<string, string>>;
  readonly updateLabel?: string;
  readonly restartedAt?: string;
  readonly controller?: string;
}

import type { EpochMs } from "../shared/time.ts";

/**
 * A push to a registry. The event is a hint, so evaluation reads tag and digest from the registry.
 */
export interface ImagePushed {
  readonly name: "ImagePushed";
  /** The id of the push. Repeated notifications of a push have the same id. */
  readonly id: string;
  readonly registry: string;
  readonly repository: string;
  /**
   * The pushed tag. Absent for a push by digest alone. Without tag and digest, any tag may have
   * been pushed.
   */
  readonly tag?: string;
  readonly digest?: string;
  /** The source of the notification: `webhook distribution`, … */
  readonly source: string;
  readonly at: EpochMs;
  /** The key of the last evaluated subscriber; evaluation continues after it. */
  readonly after?: string;
  /**
   * `cluster/namespace/`: Lookout evaluates only the subscribers of this namespace that follow
   * `after`. The default is all namespaces.
   */
  readonly within?: string;
  /** The number of earlier waiting pushes of the same tag and digest that this push replaced. */
  readonly replaced?: number;
}

/** The parts of a push that show a move of its tag. */
export type PushedTag = Pick<ImagePushed, "registry" | "repository" | "tag" | "digest" | "at">;

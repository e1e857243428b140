import type { ImageName } from "../image/reference.ts";
import type { EpochMs } from "../shared/time.ts";
import type { ContainerList } from "./workload.ts";

/** A person, the person's reason, and the instant. */
interface ByPerson {
  /** The proved name, otherwise the name in the request. */
  readonly by: string;
  readonly why: string;
  readonly at: EpochMs;
}

/** A stop to all updates of a workload by a person, until `lookout resume`. */
export type Suspension = ByPerson;

/** A version that a person asked for: `set` names it, and `rollback` leaves a version. */
export interface RequestedVersion {
  readonly as: "set" | "rollback";
  readonly by: string;
  readonly why: string;
}

/** The gates that a person lets one update pass. Never a budget, freeze, quarantine, approval or block. */
export const passableGates = ["window", "min-age", "tier", "checks"] as const;
/** One of {@link passableGates}. */
export type PassableGate = (typeof passableGates)[number];

/** The release of an update past gates. It holds for these digests of this update only. */
export interface Pass extends ByPerson {
  readonly gates: readonly PassableGate[];
  readonly digests: readonly string[];
}

/** The newest image of a container that Lookout knew at an instant. */
export interface KnownImage {
  /** Absent if the image had no tag. */
  readonly tag?: string;
  readonly digest?: string;
  /** The instant of the tag's last move. Absent if it is unknown. */
  readonly movedAt?: EpochMs;
}

/**
 * An image that a container keeps after a person asked for it, until its policy prefers an image that
 * did not exist then, or until `lookout resume`.
 */
export interface KeptImage extends ByPerson {
  readonly as: RequestedVersion["as"];
  readonly list: ContainerList;
  readonly container: string;
  readonly imageName: ImageName;
  readonly tag: string;
  readonly digest: string;
  /** The digests of an index's platforms. Empty for a single image. */
  readonly platforms: readonly string[];
  /**
   * True if the tag named another digest when the person asked, so that the image is written with its digest,
   * whatever `lookout.dev/apply` says.
   */
  readonly pinned?: true;
  /**
   * True once the container has had the image. Then the request is done: if another image takes its
   * place, the image comes back by an ordinary update through all gates.
   */
  readonly landed?: true;
  /** The number of the newest update at that instant. Earlier updates are no longer wanted. */
  readonly seq: number;
  /** The newest image of the container at that instant. Only a newer image ends the keeping. */
  readonly newest: KnownImage;
}

/**
 * The tags that the policy preferred to a requested version when a person asked for it. The container
 * gets none of them until `lookout resume`, or until the newest of them moves.
 */
export interface LeftTags extends ByPerson {
  readonly list: ContainerList;
  readonly container: string;
  readonly imageName: ImageName;
  readonly tags: readonly string[];
  /** The key of the container's policy at that instant. Another policy may prefer other old tags. */
  readonly policy: string;
  /** The newest image of the container at that instant. */
  readonly newest: KnownImage;
}

/** A tag that a person lets a workload skip. */
export interface SkippedByPerson extends ByPerson {
  readonly imageName: ImageName;
  readonly tag: string;
  /** Absent if the tag is skipped until a person ends it. */
  readonly until?: EpochMs;
}

/** Returns whether a tag of a repository is skipped now. */
export function findSkip(
  { imageName, tag }: Pick<SkippedByPerson, "imageName" | "tag">,
  skips: readonly SkippedByPerson[] | undefined,
  now: EpochMs,
): SkippedByPerson | undefined {
  return skips?.find(
    (skip) => skip.imageName === imageName && skip.tag === tag && (skip.until === undefined || skip.until > now),
  );
}

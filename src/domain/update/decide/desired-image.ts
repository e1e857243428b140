import {
  type ImageReference,
  impliedTag,
  parseImageReference,
  replaceImage,
  imageNameOf,
  type ImageName,
} from "../../image/reference.ts";
import type { ContainerSettings, WorkloadSettings } from "../../settings/settings.ts";
import type { EpochMs } from "../../shared/time.ts";
import { imageAttributes } from "../../policy/attributes.ts";
import { mostCounted, newerSkippedTags } from "../../policy/newer-skipped.ts";
import { type CandidateTag, cannotWin, type CurrentImage, usesMoves } from "../../policy/policy.ts";
import { blockDetail, blockReasonOf } from "../../workload/block-reason.ts";
import type { SelectionFailure, BlockedDigest } from "../state/workload.ts";
import type { ImageChange } from "../../workload/patch.ts";
import { isSameDigest } from "../../workload/repository-digest.ts";
import type { ContainerState, Observed, StoredAdvice } from "../../workload/observed.ts";

/** The answer of the policy and the registry for one container. */
export type DesiredImage = {
  /**
   * The next instant at which a preferred image is old enough. Absent if no preferred image waits
   * for its age.
   */
  readonly reselectAt?: EpochMs;
  /** The different digests of the container's tag that its pods run. Absent if they run one image. */
  readonly drift?: string;
} & Answer;

type Answer =
  | ({
      readonly kind: "change";
      readonly change: ImageChange;
      /** The instant at which Lookout learned of the image in an earlier tier. Absent if no tier proved it. */
      readonly foundAt?: EpochMs;
      /** True if earlier tiers limit the container, and none of the images that they ran may come. */
      readonly isUnproven?: true;
    } & Advised)
  /**
   * The container runs the image that its policy selects. `baseline`: the digest of its tag in the
   * registry.
   */
  | (Advised & {
      readonly kind: "satisfied";
      readonly container: string;
      readonly baseline: string | undefined;
      /**
       * The tag that a pinned container would get without its pin. Absent if the container would
       * get no other tag.
       */
      readonly available?: string;
    })
  | ({ readonly kind: "failure"; readonly selectionFailure: SelectionFailure } & Advised);

/** The advice about the tags that were not selected. */
interface Advised {
  /** "none": the policy skipped nothing. Absent if the tags were not read. */
  readonly advice?: StoredAdvice | "none";
}

/** The registry's answer for a selected tag. */
export interface ResolvedTag {
  readonly digest: string;
  /** The digests of an index's platforms; empty for a single image. */
  readonly platforms: readonly string[];
}

/**
 * Returns whether no tracked container of a repository can get a tag, or would show the tag as newer
 * and skipped.
 */
export function selectsNowhere(
  tag: CandidateTag,
  imageName: ImageName,
  { containers }: Pick<Observed, "containers">,
  settings: WorkloadSettings,
): boolean {
  return containers.every((container) => {
    const own = settings.containers[container.name];
    if (own === undefined || !isFrom(container, imageName)) return true;
    return cannotWin(own, currentImage(container), tag) && !isNewlySkipped(own, container, tag);
  });
}

/** Returns whether a tag raises the stored count of skipped tags. */
function isNewlySkipped(own: ContainerSettings, container: ContainerState, tag: CandidateTag): boolean {
  const count = container.advice?.skipped?.count ?? 0;
  return count < mostCounted && newerSkippedTags(own, currentImage(container), [tag], undefined).length > 0;
}

/** Returns whether a container of a repository follows the tag that moved last. */
export function followsMoves(
  imageName: ImageName,
  { containers }: Pick<Observed, "containers">,
  settings: WorkloadSettings,
): boolean {
  return containers.some((container) => {
    const own = settings.containers[container.name];
    return own !== undefined && usesMoves(own) && isFrom(container, imageName);
  });
}

/** Returns whether a container runs an image of a repository. */
export function isFrom(container: ContainerState, imageName: ImageName): boolean {
  const name = repositoryOf(container);
  return name !== undefined && imageNameOf(name) === imageName;
}

/**
 * Returns the running tag and digest, which a policy compares with other tags.
 *
 * An image without tag and digest has the tag `latest`. An object without an image has nothing to compare.
 */
export function currentImage(container: ContainerState): CurrentImage {
  if (container.isUnset === true) return {};
  const current = currentOf(container);
  const tag = current.tag ?? (current.digest === undefined ? impliedTag : undefined);
  return {
    ...(tag === undefined ? {} : { tag }),
    ...(container.digest === undefined ? {} : { digest: container.digest }),
    ...(container.seenAt === undefined ? {} : { movedAt: container.seenAt }),
  };
}

/**
 * Returns the repository of a container's image, under the registry's own host.
 *
 * @returns undefined when the image can't be parsed.
 */
export function repositoryOf({
  image,
  registry,
}: Pick<ContainerState, "image" | "registry">): ImageReference | undefined {
  const parsed = parseImageReference(image);
  if (!parsed.ok) return undefined;
  return registry === undefined ? parsed.value : { ...parsed.value, registry };
}

/**
 * Decides whether a selected tag changes a container. Any tag changes a container without an image.
 *
 * A different tag changes the container. The same tag changes the container if the tag's digest
 * differs from the running digest and from the baseline. A running digest of one of an index's
 * platforms does not differ from the index's digest.
 */
export function compareWithRunning(
  container: ContainerState,
  settings: ContainerSettings,
  tag: string,
  resolved: ResolvedTag,
  blocked: readonly BlockedDigest[],
): DesiredImage {
  const tagDiffers = isAnotherTag(container, tag);
  const differs =
    container.isUnset === true ||
    (tagDiffers && settings.strategy !== "digest") ||
    (digestDiffers(container, resolved, tagDiffers) && settings.strategy !== "tag");
  const baseline = tagDiffers ? container.baseline : (container.baseline ?? resolved.digest);
  if (!differs) return { kind: "satisfied", container: container.name, baseline };
  return realignedImage(container, settings, tag, resolved, blocked);
}

/** Returns the change of a container to the digest of a tag, or the failure if the digest is blocked. */
export function realignedImage(
  container: ContainerState,
  settings: ContainerSettings,
  tag: string,
  resolved: ResolvedTag,
  blocked: readonly BlockedDigest[],
): DesiredImage {
  const change = changeTo(container, settings, tag, resolved.digest);
  const known = findBlocked(change, blocked);
  if (known === undefined) return { kind: "change", change };
  const detail = blockDetail({ ...known, tag });
  const { digest } = resolved;
  return {
    kind: "failure",
    selectionFailure: { container: container.name, reason: blockReasonOf(known), detail, digest },
  };
}

/** Returns whether {@link compareWithRunning} needs the platforms of a tag. */
export function platformsMatter(
  { digest: running, baseline, ...container }: ContainerState,
  { strategy }: ContainerSettings,
  tag: string,
  digest: string,
): boolean {
  const tagDecides = strategy === "tag" || (strategy === "tag+digest" && isAnotherTag(container, tag));
  return !tagDecides && running !== undefined && running !== digest && baseline !== digest;
}

/**
 * Returns the blocked digest that a change would write, or undefined if the digest is not blocked.
 */
export function findBlocked(
  change: Pick<ImageChange, "imageName" | "digest">,
  blocked: readonly BlockedDigest[],
): BlockedDigest | undefined {
  return blocked.find(isSameDigest(change));
}

function isAnotherTag(container: Pick<ContainerState, "image" | "registry">, tag: string): boolean {
  return tag !== (currentOf(container).tag ?? impliedTag);
}

function digestDiffers(container: ContainerState, { digest, platforms }: ResolvedTag, tagDiffers: boolean): boolean {
  if (container.digest === digest || (container.digest !== undefined && platforms.includes(container.digest)))
    return false;
  return tagDiffers || (container.baseline !== undefined && container.baseline !== digest);
}

function changeTo(container: ContainerState, settings: ContainerSettings, tag: string, digest: string): ImageChange {
  const current = currentOf(container);
  const imageName = imageNameOf(current);
  const attributes = imageAttributes(settings, { imageName, tag });
  const written =
    settings.apply === "pin" ? replaceImage(container.image, { tag, digest }) : replaceImage(container.image, { tag });
  const restart = written === container.image || (settings.apply === "restart" && mayRestart(container, tag));
  return {
    list: container.list,
    name: container.name,
    imageName,
    tag,
    digest,
    apply: restart ? "restart" : settings.apply === "restart" ? "tag" : settings.apply,
    from: container.image,
    to: restart ? container.image : written,
    ...(container.isUnset && { isFirst: true }),
    ...(container.digest === undefined ? {} : { fromDigest: container.digest }),
    policy: settings.policyText,
    ...(attributes === undefined ? {} : { attributes }),
  };
}

/** Returns whether pods may get a tag by a restart: the object names the tag, without a digest. */
function mayRestart(container: ContainerState, tag: string): boolean {
  const current = currentOf(container);
  return container.isUnset !== true && current.digest === undefined && tag === (current.tag ?? impliedTag);
}

function currentOf(
  container: Pick<ContainerState, "image" | "registry">,
): Pick<ImageReference, "registry" | "repository" | "tag" | "digest"> {
  return repositoryOf(container) ?? { registry: "", repository: "" };
}

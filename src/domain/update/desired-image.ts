import {
  type ImageReference,
  impliedTag,
  parseImageReference,
  replaceImage,
  repositoryKey,
} from "../image/reference.ts";
import type { ContainerSettings, WorkloadSettings } from "../settings/settings.ts";
import { asksWhenMoved, type CandidateTag, cannotWin, type CurrentImage } from "../policy/policy.ts";
import type { SelectionFailure, BlockedDigest } from "./states.ts";
import type { ImageChange } from "../workload/patch.ts";
import type { ContainerState, Observed } from "../workload/observed.ts";

/** What a look at the registry comes to for one container. */
export type DesiredImage =
  | { readonly kind: "change"; readonly change: ImageChange }
  /** It runs what its policy selects. `baseline`: what the registry says of its tag. */
  | { readonly kind: "satisfied"; readonly container: string; readonly baseline: string | undefined }
  | { readonly kind: "failure"; readonly selectionFailure: SelectionFailure };

/** What the registry said of a selected tag. */
export interface ResolvedTag {
  readonly digest: string;
  /** Digests of an index's platforms; empty for a single image. */
  readonly platforms: readonly string[];
}

/** Says whether a tag can't be selected for any of the containers of a repository that are tracked, whatever else there is. */
export function selectsNowhere(
  tag: CandidateTag,
  repository: string,
  { containers }: Pick<Observed, "containers">,
  settings: WorkloadSettings,
): boolean {
  return containers.every((container) => {
    const own = settings.containers[container.name];
    return own === undefined || !isOf(container, repository) || cannotWin(own, currentImage(container), tag);
  });
}

/** Says whether a container of a repository follows the tag that moved last. */
export function followsMoves(
  repository: string,
  { containers }: Pick<Observed, "containers">,
  settings: WorkloadSettings,
): boolean {
  return containers.some((container) => {
    const own = settings.containers[container.name];
    return own !== undefined && asksWhenMoved(own.policy) && isOf(container, repository);
  });
}

function isOf(container: ContainerState, repository: string): boolean {
  const name = repositoryOf(container);
  return name !== undefined && repositoryKey(name) === repository;
}

/** Answers what a policy compares with: the tag of the manifest, `latest` where it names neither tag nor digest, and what runs. */
export function currentImage(container: ContainerState): CurrentImage {
  const current = currentOf(container);
  const tag = current.tag ?? (current.digest === undefined ? impliedTag : undefined);
  return {
    ...(tag === undefined ? {} : { tag }),
    ...(container.digest === undefined ? {} : { digest: container.digest }),
    ...(container.seenAt === undefined ? {} : { movedAt: container.seenAt }),
  };
}

/**
 * Answers which repository a container's image is of, under the registry's own host: the image itself may name an alias.
 *
 * @returns undefined when the image can't be understood.
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
 * Decides whether a selected tag is a change for a container.
 *
 * A tag that differs is. The same tag is one when its digest differs from what runs (an index counts as each of its platforms), and
 * from what it was when Lookout first saw this image: first sight alone never restarts anything.
 */
export function desiredImageFor(
  container: ContainerState,
  settings: ContainerSettings,
  tag: string,
  resolved: ResolvedTag,
  blocked: readonly BlockedDigest[],
): DesiredImage {
  const tagDiffers = isAnotherTag(container, tag);
  const differs =
    (tagDiffers && settings.strategy !== "digest") ||
    (digestDiffers(container, resolved, tagDiffers) && settings.strategy !== "tag");
  const baseline = tagDiffers ? container.baseline : (container.baseline ?? resolved.digest);
  if (!differs) return { kind: "satisfied", container: container.name, baseline };
  const change = changeTo(container, settings, tag, resolved.digest);
  const known = findBlocked(change, blocked);
  if (known === undefined) return { kind: "change", change };
  const detail = `${tag} @ ${resolved.digest}: update ${String(known.seq)}, ${known.reason}`;
  return { kind: "failure", selectionFailure: { container: container.name, reason: "digest-blocked", detail } };
}

/**
 * Answers whether {@link desiredImageFor} depends on the platforms of what a tag names: only where the digest decides, and differs from all that
 * is known of the container.
 */
export function platformsMatter(
  { digest: running, baseline, ...container }: ContainerState,
  { strategy }: ContainerSettings,
  tag: string,
  digest: string,
): boolean {
  const tagDecides = strategy === "tag" || (strategy === "tag+digest" && isAnotherTag(container, tag));
  return !tagDecides && running !== undefined && running !== digest && baseline !== digest;
}

/** Finds why a workload is not to be given what a change wants; undefined: nothing is against it. */
export function findBlocked(
  change: Pick<ImageChange, "repository" | "digest">,
  blocked: readonly BlockedDigest[],
): BlockedDigest | undefined {
  return blocked.find(({ repository, digest }) => repository === change.repository && digest === change.digest);
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
  const sameTag = tag === (current.tag ?? impliedTag);
  const written =
    settings.apply === "pin" ? replaceImage(container.image, { tag, digest }) : replaceImage(container.image, { tag });
  const restart =
    (settings.apply === "restart" && sameTag && current.digest === undefined) || written === container.image;
  return {
    list: container.list,
    name: container.name,
    repository: repositoryKey(current),
    tag,
    digest,
    apply: restart ? "restart" : settings.apply === "restart" ? "tag" : settings.apply,
    from: container.image,
    to: restart ? container.image : written,
    ...(container.digest === undefined ? {} : { fromDigest: container.digest }),
    policy: settings.policyText,
  };
}

function currentOf(
  container: Pick<ContainerState, "image" | "registry">,
): Pick<ImageReference, "registry" | "repository" | "tag" | "digest"> {
  return repositoryOf(container) ?? { registry: "", repository: "" };
}

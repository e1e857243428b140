import { platformsSetting } from "#domain/gates/platforms";
import { imageNameOf } from "#domain/image/reference";
import { asCandidate } from "#domain/policy/tag-history";
import { missingPlatforms } from "#domain/image/platform";
import { shortened } from "#domain/shared/shown-text";
import type { ContainerSettings, WorkloadSettings } from "#domain/settings/settings";
import { asksWhenMoved, type CandidateTag, nameOf, type Selection, selectTag } from "#domain/policy/policy";
import type { BlockedDigest, SelectionFailure, WorkloadRecord } from "#domain/update/states";
import type { ContainerState } from "#domain/workload/observed";
import type { ImageChange } from "#domain/workload/patch";
import {
  currentImage,
  type DesiredImage,
  compareWithRunning,
  platformsMatter,
  repositoryOf,
} from "#domain/update/desired-image";
import type { RegistryRefusal, RepositoryName, TagListing } from "#ports/registry";
import { allOf } from "./bounded.ts";
import { reasonOfRefusal } from "./first-registry-error.ts";
import { matchAhead } from "./matched-tags.ts";
import type { RegistryReads } from "./registry-reads.ts";

/**
 * Selects the desired image of each tracked container, in the record's order.
 *
 * @param only - `registry/path`: only the containers of this repository.
 */
export async function desiredImages(
  record: WorkloadRecord,
  settings: WorkloadSettings,
  reads: RegistryReads,
  only?: string,
): Promise<readonly DesiredImage[]> {
  const evaluated = record.observed.containers.flatMap((container) => {
    const name = repositoryOf(container);
    return name !== undefined && (only === undefined || imageNameOf(name) === only) ? [{ container, name }] : [];
  });
  const closing = settings.problems.find(({ closes }) => closes);
  if (closing !== undefined) {
    const detail = `${closing.key} "${closing.value}": ${closing.message}`;
    return evaluated.map(({ container }) => selectionFailure(container.name, "problem-in-settings", detail));
  }
  const platforms = platformsSetting.valueIn(settings.gates) ?? [];
  const selections = evaluated.map(({ container, name }) => {
    const own = settings.containers[container.name];
    if (own === undefined) return [];
    const notAllowed = reads.whyNotAllowed(name, record.workload);
    if (notAllowed !== undefined) return [selectionFailure(container.name, "registry-not-allowed", notAllowed)];
    const other = own.registry === undefined ? undefined : reads.whyOtherRegistry(own.registry, name, record.workload);
    if (other !== undefined) return [selectionFailure(container.name, "other-registry", other)];
    const comparesNodes = reads.comparesNodes(record.workload.cluster);
    return [selectDesiredImage(container, { ...own, platforms, comparesNodes }, name, record.blocked, reads)];
  });
  return allOf(selections.flat());
}

/** The settings of a container, with the rules about the platforms of its image. */
interface SelectionSettings extends ContainerSettings {
  /** The platforms that the workload names. */
  readonly platforms: readonly string[];
  /** True if a rule compares images with the nodes of the cluster. */
  readonly comparesNodes: boolean;
}

/** The maximum number of blocked tags that a selection skips before it fails. */
const mostSkipped = 20;

/**
 * Selects the first tag whose digest is not blocked. If no other tag fits, returns the failure of
 * the first blocked tag.
 *
 * Lookout does not skip a tag that a user replaced, because an older tag would override the user's
 * change.
 */
async function selectDesiredImage(
  container: ContainerState,
  own: SelectionSettings,
  name: RepositoryName,
  blocked: readonly BlockedDigest[],
  reads: RegistryReads,
): Promise<DesiredImage> {
  const listing = await candidatesFor(container, own, name, reads);
  if (listing.kind !== "tags") return registryFailure(container.name, listing, "repository-not-found");

  const rule = await matchAhead(own, listing.tags, reads.turn);
  if (rule === undefined) return selectionFailure(container.name, "pattern-too-slow", own.policyText);
  if (rule.policy.kind === "pinned") return pinnedImage(container, rule, rule.policy, listing.tags);
  return firstNotBlocked(container, rule, name, listing.tags, blocked, reads);
}

/**
 * Returns no change for a pinned container. Users see the tag that the container would get without
 * its pin.
 */
function pinnedImage(
  container: ContainerState,
  rule: ContainerSettings,
  policy: Extract<ContainerSettings["policy"], { kind: "semver" | "pinned" }>,
  tags: readonly CandidateTag[],
): DesiredImage {
  const unpinned = { ...rule, policy: { ...policy, kind: "semver" }, allowDowngrade: false } as const;
  const selection = selectTag(unpinned, currentImage(container), tags);
  const available = selection.kind === "selected" ? { available: selection.tag } : {};
  return { kind: "satisfied", container: container.name, baseline: undefined, ...available };
}

async function firstNotBlocked(
  container: ContainerState,
  own: SelectionSettings,
  name: RepositoryName,
  tags: readonly CandidateTag[],
  blocked: readonly BlockedDigest[],
  reads: RegistryReads,
): Promise<DesiredImage> {
  let candidates = tags;
  let firstBlocked: DesiredImage | undefined;
  const most = own.policy.kind === "digest" ? 1 : mostSkipped;
  for (let skipped = 0; skipped < most; skipped += 1) {
    const selection = selectTag(own, currentImage(container), candidates);
    if (selection.kind === "none")
      return firstBlocked ?? selectionFailure(container.name, selection.reason, own.policyText);
    const desired = await desiredImageForTag(container, own, name, selection.tag, blocked, reads);
    const skip = whySkipped(desired, selection, own, name, blocked);
    if (skip === undefined) return desired.kind === "change" ? desired : (firstBlocked ?? desired);
    if (skip === "blocked") firstBlocked ??= desired;
    candidates = candidates.filter((tag) => nameOf(tag) !== selection.tag);
  }
  return firstBlocked ?? selectionFailure(container.name, "no-tag-fits", own.policyText);
}

/**
 * Returns the tags that may be selected.
 *
 * Policies that follow the running tag or moves need no listing from the registry.
 */
async function candidatesFor(
  container: ContainerState,
  { policy }: ContainerSettings,
  name: RepositoryName,
  reads: RegistryReads,
): Promise<{ readonly kind: "tags"; readonly tags: readonly CandidateTag[] } | Exclude<TagListing, { kind: "tags" }>> {
  if (policy.kind === "digest") return { kind: "tags", tags: [] };
  if (!asksWhenMoved(policy)) return reads.tags(name);
  const { tag } = currentImage(container);
  return { kind: "tags", tags: [...(await reads.moves(name)).map(asCandidate), ...(tag === undefined ? [] : [tag])] };
}

function whySkipped(
  desired: DesiredImage,
  { kind, tag }: Exclude<Selection, { kind: "none" }>,
  { policy }: ContainerSettings,
  name: RepositoryName,
  blocked: readonly BlockedDigest[],
): "blocked" | "gone" | undefined {
  if (desired.kind !== "failure") return undefined;
  const { reason } = desired.selectionFailure;
  if (reason === "digest-blocked") {
    const imageName = imageNameOf(name);
    const isByUser = (digest: BlockedDigest): boolean =>
      digest.reason === "changed-by-hand" && digest.tag === tag && digest.imageName === imageName;
    return blocked.some(isByUser) ? undefined : "blocked";
  }
  return reason === "tag-not-found" && kind === "selected" && asksWhenMoved(policy) ? "gone" : undefined;
}

async function desiredImageForTag(
  container: ContainerState,
  own: SelectionSettings,
  name: RepositoryName,
  tag: string,
  blocked: readonly BlockedDigest[],
  reads: RegistryReads,
): Promise<DesiredImage> {
  const read = await reads.resolve(name, tag);
  if (read.kind !== "manifest") return registryFailure(container.name, read, "tag-not-found", tag);
  const resolved = platformsMatter(container, own, tag, read.digest) ? await reads.manifest(name, read.digest) : read;
  if (resolved.kind !== "manifest") return registryFailure(container.name, resolved, "tag-not-found", tag);
  const desired = compareWithRunning(container, own, tag, resolved, blocked);
  if (desired.kind !== "change" || (own.platforms.length === 0 && !own.comparesNodes)) return desired;
  return withPlatforms(desired.change, own, name, reads);
}

/**
 * Returns a change with the platforms of its images, or a failure if the new image lacks a named
 * platform.
 */
async function withPlatforms(
  change: ImageChange,
  { platforms, comparesNodes }: SelectionSettings,
  name: RepositoryName,
  reads: RegistryReads,
): Promise<DesiredImage> {
  const { tag, digest, fromDigest } = change;
  const offered = await readOffers(name, digest, reads);
  if (offered.kind !== "offers") return registryFailure(change.name, offered, "tag-not-found", tag);
  const { offers } = offered;
  const missing = missingPlatforms(platforms, offers);
  if (missing.length > 0) {
    const has = offers.length === 0 ? "none" : offers.join(", ");
    return selectionFailure(change.name, "platform-missing", `${tag} lacks ${missing.join(", ")} and has ${has}`);
  }
  if (!comparesNodes) return { kind: "change", change };
  const before = fromDigest === undefined ? notFound : await readOffers(name, fromDigest, reads);
  if (before.kind === "not-found") return { kind: "change", change: { ...change, offers } };
  if (before.kind !== "offers") return registryFailure(change.name, before, "tag-not-found", tag);
  return { kind: "change", change: { ...change, offers, fromOffers: before.offers } };
}

const notFound = { kind: "not-found" } as const;

type OffersRead =
  { readonly kind: "offers"; readonly offers: readonly string[] } | { readonly kind: "not-found" } | RegistryRefusal;

/** Reads the platforms of an index, or the platform in the configuration of a single image. */
async function readOffers(name: RepositoryName, digest: string, reads: RegistryReads): Promise<OffersRead> {
  const read = await reads.manifest(name, digest);
  if (read.kind !== "manifest") return read;
  if (read.offers !== undefined) return { kind: "offers", offers: read.offers };
  if (read.config === undefined) return { kind: "offers", offers: [] };
  const config = await reads.config(name, read.config);
  if (config.kind !== "config") return config;
  return { kind: "offers", offers: config.platform === undefined ? [] : [config.platform] };
}

function registryFailure(
  container: string,
  refusal: RegistryRefusal | { readonly kind: "not-found" },
  notFound: "repository-not-found" | "tag-not-found",
  tag?: string,
): DesiredImage {
  if (refusal.kind === "not-found") return selectionFailure(container, notFound, tag);
  const until = refusal.kind === "unreachable" ? refusal.until : undefined;
  return selectionFailure(container, reasonOfRefusal(refusal), refusal.detail, until);
}

function selectionFailure(
  container: string,
  reason: SelectionFailure["reason"],
  detail?: string,
  until?: SelectionFailure["until"],
): DesiredImage {
  const shown = detail === undefined ? {} : { detail: shortened(detail, longestDetail) };
  const pause = until === undefined ? {} : { until };
  return { kind: "failure", selectionFailure: { container, reason, ...shown, ...pause } };
}

/**
 * The longest detail, in characters. A detail quotes texts of settings and registries, and these
 * texts may be long.
 */
const longestDetail = 600;

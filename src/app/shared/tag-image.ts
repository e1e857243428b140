import type { CurrentImage, SelectionRule } from "#domain/policy/policy";
import { replaceImage } from "#domain/image/reference";
import {
  compareWithRunning,
  type DesiredImage,
  findBlocked,
  platformsMatter,
} from "#domain/update/decide/desired-image";
import { missingPlatforms } from "#domain/image/platform";
import { shortened } from "#domain/shared/shown-text";
import type { ContainerSettings } from "#domain/settings/settings";
import type { DurationMs } from "#domain/shared/time";
import type { SelectionFailure, WorkloadRecord } from "#domain/update/state/workload";
import type { EarlierTier } from "#domain/tiers/proof";
import type { ContainerState } from "#domain/workload/observed";
import type { ImageChange } from "#domain/workload/patch";
import { isSameDigest } from "#domain/workload/repository-digest";
import type { RegistryRefusal, RepositoryName } from "#ports/registry";
import { reasonOfRefusal } from "./first-registry-error.ts";
import type { RegistryReads } from "./registry-reads.ts";

/** The settings of a container, with the rules of its workload about images. */
export interface SelectionSettings extends ContainerSettings {
  /** The platforms that the workload names. */
  readonly platforms: readonly string[];
  /** True if a rule compares images with the nodes of the cluster. */
  readonly comparesNodes: boolean;
  /** 0 if the workload has no minimum age. */
  readonly minAge: DurationMs;
  /** The tag to which a failed update returns. Undefined for the previous image. */
  readonly rollbackTo: string | undefined;
}

/** A container whose image is selected. */
export interface SelectedContainer {
  readonly container: ContainerState;
  readonly own: SelectionSettings;
  readonly name: RepositoryName;
  readonly record: Pick<WorkloadRecord, "blocked" | "pending" | "active" | "kept" | "left" | "skips" | "ran">;
  /** The earlier tiers that must have run an image. Absent if no tier holds the container. */
  readonly earlier?: readonly EarlierTier[];
  readonly reads: RegistryReads;
}

/** Compares a digest of a tag with the running image. */
export async function compareDigest(
  { container, own, name, record, reads }: SelectedContainer,
  tag: string,
  digest: string,
): Promise<DesiredImage> {
  const resolved = platformsMatter(container, own, tag, digest)
    ? await reads.manifest(name, digest)
    : ({ kind: "manifest", digest, platforms: [] } as const);
  if (resolved.kind !== "manifest") return registryFailure(container.name, resolved, "tag-not-found", tag);
  return compareWithRunning(container, own, tag, resolved, record.blocked);
}

/**
 * Returns whether an open update has the image of a change. Lookout has read the manifest before it
 * proposed that update.
 */
export function isProposed({ record }: SelectedContainer, change: ImageChange): boolean {
  return proposed(record, change) !== undefined;
}

function proposed({ pending, active }: SelectedContainer["record"], change: ImageChange): ImageChange | undefined {
  return [...(pending?.changes ?? []), ...(active?.changes ?? [])].find(isSameDigest(change));
}

/**
 * Returns a change with the platforms of its images, or a failure if the new image lacks a named
 * platform.
 */
export async function withPlatforms(selected: SelectedContainer, change: ImageChange): Promise<DesiredImage> {
  const provable = await withPlatformDigests(selected, change);
  return "kind" in provable ? provable : withOffers(selected, provable);
}

/**
 * Returns a desired change with the image to which it returns after a failure, if the workload names
 * one. Without that image, the change is a failure.
 */
export async function withRollbackTarget(selected: SelectedContainer, desired: DesiredImage): Promise<DesiredImage> {
  const { container, own, name, record, reads } = selected;
  const { rollbackTo: tag } = own;
  if (desired.kind !== "change" || tag === undefined || desired.change.tag === tag) return desired;
  const missing = (why: string): DesiredImage =>
    selectionFailure(container.name, "rollback-target-missing", `${tag} ${why}`);
  const read = await reads.resolve(name, tag);
  if (read.kind === "not-found") return missing("is not in the registry");
  if (read.kind !== "manifest") return registryFailure(container.name, read, "tag-not-found", tag);
  const { digest } = read;
  if (findBlocked({ imageName: desired.change.imageName, digest }, record.blocked) !== undefined)
    return missing("is blocked here");
  if ((await reads.quarantined([digest])).has(digest)) return missing("is in quarantine");
  const to = replaceImage(container.image, own.apply === "tag" ? { tag } : { tag, digest });
  return { ...desired, change: { ...desired.change, back: { tag, digest, to } } };
}

/** The most digests of platforms that a change keeps, so that its record fits into one item. */
const mostPlatformDigests = 64;

/** Returns a restart with the digests that its pods may report. Returns any other change as it is. */
async function withPlatformDigests(
  { name, record, reads }: SelectedContainer,
  change: ImageChange,
): Promise<ImageChange | DesiredImage> {
  if (change.apply !== "restart") return change;
  const known = proposed(record, change)?.platformDigests;
  if (known !== undefined) return { ...change, platformDigests: known };
  const read = await reads.manifest(name, change.digest);
  if (read.kind !== "manifest") return registryFailure(change.name, read, "tag-not-found", change.tag);
  const { platforms } = read;
  return platforms.length > mostPlatformDigests ? change : { ...change, platformDigests: platforms };
}

async function withOffers(
  { own: { platforms, comparesNodes }, name, reads }: SelectedContainer,
  change: ImageChange,
): Promise<DesiredImage> {
  if (platforms.length === 0 && !comparesNodes) return { kind: "change", change };
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

/** Returns the failure of a registry that did not answer, or does not have the tag or repository. */
export function registryFailure(
  container: string,
  refusal: RegistryRefusal | { readonly kind: "not-found" },
  notFound: "repository-not-found" | "tag-not-found",
  tag?: string,
): DesiredImage {
  if (refusal.kind === "not-found") return selectionFailure(container, notFound, tag);
  const until = refusal.kind === "unreachable" ? refusal.until : undefined;
  return selectionFailure(container, reasonOfRefusal(refusal), refusal.detail, until);
}

/** Returns a failed selection. */
export function selectionFailure(
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

/** Returns a text that is equal for selections with one policy, filter and running image. */
export function selectionKey(rule: SelectionRule, current: CurrentImage | undefined): string {
  return JSON.stringify([rule.policy, rule.filter, rule.allowDowngrade, current]);
}

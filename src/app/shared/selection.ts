import { problemText } from "#domain/annotations/written-settings";
import { minAgeOf } from "#domain/gates/min-age";
import { platformsSetting } from "#domain/gates/platforms";
import { imageNameOf } from "#domain/image/reference";
import { movedAtOf } from "#domain/policy/candidate-tag";
import { asCandidate } from "#domain/policy/tag-history";
import type { ContainerSettings, WorkloadSettings } from "#domain/settings/settings";
import {
  asksWhenMoved,
  type CandidateTag,
  decidingTags,
  explainSelection,
  nameOf,
  type RejectedTag,
  selectTag,
  usesMoves,
} from "#domain/policy/policy";
import { passedOver } from "#domain/policy/passed-over";
import { type Advice, adviseOn, decisiveTags } from "#domain/policy/suggestion";
import type { EarlierTier } from "#domain/tiers/proof";
import type { KnownImage } from "#domain/workload/control";
import { withoutUndefined } from "#domain/shared/without-undefined";
import type { SelectionFailure, WorkloadRecord } from "#domain/update/state/workload";
import type { ContainerState, StoredAdvice } from "#domain/workload/observed";
import { currentImage, type DesiredImage, repositoryOf } from "#domain/update/decide/desired-image";
import { mostLeft } from "#domain/update/decide/control";
import { tagsAbove } from "#domain/update/decide/kept-image";
import type { RepositoryName, TagListing } from "#ports/registry";
import { allOf } from "./bounded.ts";
import { matchAhead } from "./matched-tags.ts";
import type { RegistryReads } from "./registry-reads.ts";
import { readOnceFor } from "./once.ts";
import {
  registryFailure,
  type SelectedContainer,
  selectionFailure,
  selectionKey,
  withRollbackTarget,
} from "./tag-image.ts";
import { isRequestedRollback, keepsImage, withRequests } from "./requested-image.ts";
import { adviceWithSkips, unskippedTags } from "./skipped-tags.ts";
import { withDrift } from "./digest-drift.ts";
import { type SkippedTag, walkTags } from "./tag-walk.ts";
import {
  type ComparedTags,
  type ListedContainer,
  onlyDesired,
  type WalkedContainer,
  walkTogether,
} from "./together.ts";

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
  const walked = await walkContainers(record, settings, reads, only);
  return walked.map(({ desired }) => desired);
}

/** The selection of a container with its reasons. */
export interface TracedSelection extends Pick<WalkedContainer, "container" | "desired" | "tag"> {
  /** The number of the repository's tags. Absent if the tags were not listed. */
  readonly tags?: number;
  /** Why each other tag is not selected. A tag that only loses against a preferred tag is absent. */
  readonly rejected: readonly SkippedTag[];
  readonly advice?: Advice;
}

/**
 * Selects as {@link desiredImages} does, with the reasons for users. A policy that needs no listing
 * decides without it here too, but its rejected tags come from the listing.
 */
export async function tracedSelections(
  record: WorkloadRecord,
  settings: WorkloadSettings,
  reads: RegistryReads,
): Promise<readonly TracedSelection[]> {
  return allOf((await walkContainers(record, settings, reads)).map(traced));
}

async function traced({ compared, skipped, proven, ...walked }: WalkedContainer): Promise<TracedSelection> {
  if (compared === undefined) return { ...walked, rejected: skipped };
  const { of, advice } = compared;
  const { tags, rule, count } = await explainable(compared);
  const explained = { ...walked, ...(count === undefined ? {} : { tags: count }), ...(advice && { advice }) };
  if (rule === undefined) return { ...explained, rejected: skipped };
  const current = currentImage(of.container);
  const { tag: selected } = walked;
  const names = new Set(skipped.map(({ tag }) => tag).filter((tag) => tag !== current.tag));
  const left = tags.filter((tag) => !names.has(nameOf(tag)));
  const rejected = await of.reads.onTags(left.length, () => [
    ...explainSelection(rule, current, left).rejected,
    ...(selected === undefined
      ? []
      : passedOver(rule, current, left, selected).map((one) => ({ ...one, ...waitingFor(one, proven) }))),
  ]);
  return { ...explained, rejected: [...rejected, ...skipped] };
}

/** Returns the reason of a preferred tag that no earlier tier ran. Empty if it is passed over for another reason. */
function waitingFor({ tag }: RejectedTag, proven: ReadonlySet<string> | undefined): Partial<RejectedTag> {
  return proven === undefined || proven.has(tag) ? {} : { reason: "waits-for-tier" };
}

/** Returns the tags whose rejections are explained: the listing, or the compared tags without one. */
async function explainable({
  of: { own, name, reads },
  ...compared
}: ComparedTags): Promise<Pick<ComparedTags, "tags" | "rule"> & { readonly count?: number }> {
  if (needsListing(own)) return { ...compared, count: compared.tags.length };
  const listing = await listTags(own, name, reads);
  if (listing.kind !== "tags") return compared;
  const rule = await matchAhead(own, listing.tags, reads.spending);
  return { tags: listing.tags, count: listing.tags.length, ...(rule && { rule }) };
}

/**
 * Returns the newest image of a container that its policy knows now, whatever its age, a block or a
 * request. Without an answer from the registry, it is the image of the open update, or the running one.
 */
export async function newestImage(selected: SelectedContainer): Promise<KnownImage> {
  const { container, own, name, reads } = selected;
  const current = currentImage(container);
  const listing = await candidatesFor(container, own, name, reads);
  if (listing.kind !== "tags") return knownImage(selected);
  const rule = await matchAhead(own, listing.tags, reads.spending);
  if (rule === undefined) return knownImage(selected);
  const few = await reads.fewOf(listing.tags, (part) => decidingTags(rule, current, part));
  const selection = selectTag(rule, current, few);
  const newest = selection.kind === "selected" ? selection.tag : current.tag;
  if (newest === undefined) return knownImage(selected);
  const read = await reads.resolve(name, newest);
  const movedAt = movedAtOf(few.find((one) => nameOf(one) === newest) ?? newest);
  const known = knownImage(selected);
  const digest = read.kind === "manifest" ? read.digest : known.tag === newest ? known.digest : undefined;
  return withoutUndefined<KnownImage>({ tag: newest, digest, movedAt });
}

/**
 * Returns the tags that the policy of a container prefers to a tag now. Undefined if there are too many
 * to store, if moves decide, or without an answer from the registry.
 */
export async function preferredTags(selected: SelectedContainer, tag: string): Promise<readonly string[] | undefined> {
  const { own, name, reads } = selected;
  if (!needsListing(own) || usesMoves(own)) return undefined;
  const listing = await listTags(own, name, reads);
  if (listing.kind !== "tags" || listing.tags.length > mostListed) return undefined;
  const rule = await matchAhead(own, listing.tags, reads.spending);
  const above = rule === undefined ? [] : tagsAbove(rule, tag, listing.tags);
  return above.length > mostLeft ? undefined : above;
}

/** The most tags of a repository whose preferred tags are stored. */
const mostListed = 5_000;

/** Returns the newest image of a container that its record knows. */
export function knownImage({ container, record: { pending, active } }: SelectedContainer): KnownImage {
  const open = [...(pending?.changes ?? []), ...(active?.changes ?? [])];
  const known = open.find(({ list, name }) => list === container.list && name === container.name);
  const { tag } = known ?? currentImage(container);
  const digest = known?.digest ?? container.digest ?? container.baseline;
  return withoutUndefined<KnownImage>({ tag, digest });
}

async function walkContainers(
  record: WorkloadRecord,
  settings: WorkloadSettings,
  reads: RegistryReads,
  only?: string,
): Promise<readonly WalkedContainer[]> {
  const earlier = await earlierTiers(record, reads);
  const all = selectedContainers(record, settings, reads, only).map((one) =>
    "own" in one && earlier !== undefined ? { ...one, earlier } : one,
  );
  const walked = settings.together
    ? await walkTogether(all, listedTags)
    : await allOf(all.map((one) => ("own" in one ? selectDesiredImage(one) : one)));
  // Containers that belong together keep their images together.
  const keepsAll = settings.together && (await keepsSome(walked, all));
  return allOf(
    walked.map(async (one, index) => {
      const selected = all[index];
      if (selected === undefined || !("own" in selected)) return one;
      const requested = await withRequests(
        selected,
        { ...one, desired: await withDrift(selected, one.desired) },
        keepsAll,
      );
      // A requested rollback waits for no registry, and for no target of a further rollback.
      if (isRequestedRollback(requested.desired, selected.record)) return requested;
      return { ...requested, desired: await withRollbackTarget(selected, requested.desired) };
    }),
  );
}

/** Returns the earlier tiers of a workload. Undefined if there are none, or a person let the update pass them. */
async function earlierTiers(record: WorkloadRecord, reads: RegistryReads): Promise<readonly EarlierTier[] | undefined> {
  const tier = await reads.tier(record);
  const isPassed = record.pending?.passes?.some(({ gates }) => gates.includes("tier")) === true;
  return tier.kind === "after" && !isPassed ? tier.earlier : undefined;
}

/** Returns whether one of the containers keeps an image that a person requested. */
async function keepsSome(
  walked: readonly WalkedContainer[],
  all: readonly (SelectedContainer | WalkedContainer)[],
): Promise<boolean> {
  const keeps = walked.map(async (one, index) => {
    const selected = all[index];
    return selected !== undefined && "own" in selected && (await keepsImage(selected, one));
  });
  return (await allOf(keeps)).includes(true);
}

/** Returns the tracked containers whose image is selected, and the failures of those that get none. */
export function selectedContainers(
  record: WorkloadRecord,
  settings: WorkloadSettings,
  reads: RegistryReads,
  only?: string,
): readonly (SelectedContainer | WalkedContainer)[] {
  // Containers that belong together need the tags of all their repositories.
  const of = settings.together ? undefined : only;
  const evaluated = record.observed.containers.flatMap((container) => {
    const name = repositoryOf(container);
    return name !== undefined && (of === undefined || imageNameOf(name) === of) ? [{ container, name }] : [];
  });
  const failed = ({ name }: ContainerState, reason: SelectionFailure["reason"], detail: string): WalkedContainer => ({
    container: name,
    ...onlyDesired(selectionFailure(name, reason, detail)),
  });
  const closing = settings.problems.find(({ closes }) => closes);
  if (closing !== undefined) {
    return evaluated.map(({ container }) => failed(container, "problem-in-settings", problemText(closing)));
  }
  const rules = {
    platforms: platformsSetting.valueIn(settings.gates) ?? [],
    comparesNodes: reads.comparesNodes(record.workload.cluster),
    minAge: minAgeOf(settings),
    rollbackTo: settings.rollbackTo,
  };
  return evaluated.flatMap(({ container, name }): readonly (SelectedContainer | WalkedContainer)[] => {
    const own = settings.containers[container.name];
    if (own === undefined) return [];
    const notAllowed = reads.whyNotAllowed(name, record.workload);
    if (notAllowed !== undefined) return [failed(container, "registry-not-allowed", notAllowed)];
    const other = own.registry === undefined ? undefined : reads.whyOtherRegistry(own.registry, name, record.workload);
    if (other !== undefined) return [failed(container, "other-registry", other)];
    return [{ container, own: { ...own, ...rules }, name, record, reads }];
  });
}

/** Selects the desired image of a container. */
async function selectDesiredImage(selected: SelectedContainer): Promise<WalkedContainer> {
  const container = selected.container;
  const listed = await listedTags(selected);
  if ("desired" in listed) return listed;
  const { own, tags, advice, compared } = listed;
  const { policy } = own;
  if (policy.kind === "pinned") {
    const desired = await pinnedImage(container, own, policy, tags, selected.reads);
    return { container: container.name, ...onlyDesired(desired), compared };
  }
  const among = await unskippedTags(listed, tags);
  const walkable = { listed: tags, ...(among && { among }) };
  const { desired, ...walked } = await walkTags(listed, walkable, selected.reads.now());
  return { container: container.name, ...walked, desired: { ...desired, advice }, compared };
}

/** Lists the tags that a container may get. Returns the failure of a registry or of a slow pattern. */
async function listedTags(selected: SelectedContainer): Promise<ListedContainer | WalkedContainer> {
  const { container, own, name, reads } = selected;
  const failed = (failure: DesiredImage): WalkedContainer => ({ container: container.name, ...onlyDesired(failure) });
  const listing = await candidatesFor(container, own, name, reads);
  if (listing.kind !== "tags") return failed(registryFailure(container.name, listing, "repository-not-found"));
  const rule = await matchAhead(own, listing.tags, reads.spending);
  const { tags } = listing;
  if (rule === undefined) {
    const failure = selectionFailure(container.name, "pattern-too-slow", own.policyText);
    return { ...failed(failure), compared: { of: selected, tags } };
  }
  const advice = rule.policy.kind === "pinned" ? undefined : await adviceFor(rule, selected, tags);
  const compared = { of: selected, tags, rule, ...(advice && { advice }) };
  const stored = adviceWithSkips({ ...selected, own: { ...own, ...rule } }, tags, storedAdvice(advice));
  return { ...selected, own: rule, tags, advice: stored, compared };
}

/** The advice about each listing, by policy and running tag: many workloads share a repository. */
const advices = readOnceFor<Advice | undefined>();

/** Returns the advice about a listing. Reads the tags once for all containers with one policy and tag. */
function adviceFor(
  rule: ContainerSettings,
  { container, reads }: SelectedContainer,
  tags: readonly CandidateTag[],
): Promise<Advice | undefined> {
  const current = currentImage(container);
  return advices(tags, selectionKey(rule, current), async () => {
    const decisive = await reads.fewOf(tags, (part) => decisiveTags(rule, current, part));
    return reads.onTags(tags.length, () => adviseOn(rule, current, tags, decisive));
  });
}

/** Returns the parts of an advice that a record keeps: the tags would change with each push. */
function storedAdvice(advice: Advice | undefined): StoredAdvice | "none" {
  if (advice === undefined) return "none";
  const { skipped, annotations } = advice;
  return {
    ...(skipped && { skipped: { count: skipped.count, reason: skipped.reason } }),
    ...(annotations && { annotations }),
  };
}

/**
 * Returns no change for a pinned container. Users see the tag that the container would get without
 * its pin.
 */
async function pinnedImage(
  container: ContainerState,
  rule: ContainerSettings,
  policy: Extract<ContainerSettings["policy"], { kind: "semver" | "pinned" }>,
  tags: readonly CandidateTag[],
  reads: RegistryReads,
): Promise<DesiredImage> {
  const unpinned = { ...rule, policy: { ...policy, kind: "semver" }, allowDowngrade: false } as const;
  const current = currentImage(container);
  const few = await reads.fewOf(tags, (part) => decidingTags(unpinned, current, part));
  const selection = selectTag(unpinned, current, few);
  const available = selection.kind === "selected" ? { available: selection.tag } : {};
  return { kind: "satisfied", container: container.name, baseline: undefined, ...available };
}

/** Returns whether a policy needs a listing: not if it follows the running tag or moves. */
function needsListing({ policy }: ContainerSettings): boolean {
  return policy.kind !== "digest" && !asksWhenMoved(policy);
}

/** The tags of a repository, or the refusal of the registry. */
type Candidates =
  { readonly kind: "tags"; readonly tags: readonly CandidateTag[] } | Exclude<TagListing, { kind: "tags" }>;

/** Returns the tags that may be selected. */
async function candidatesFor(
  container: ContainerState,
  own: ContainerSettings,
  name: RepositoryName,
  reads: RegistryReads,
): Promise<Candidates> {
  if (needsListing(own)) return listTags(own, name, reads);
  if (own.policy.kind === "digest") return { kind: "tags", tags: [] };
  const { tag } = currentImage(container);
  return { kind: "tags", tags: [...(await reads.moves(name)).map(asCandidate), ...(tag === undefined ? [] : [tag])] };
}

/** Lists the tags of a repository, with their known moves if the policy compares moves. */
async function listTags(own: ContainerSettings, name: RepositoryName, reads: RegistryReads): Promise<Candidates> {
  const listing = await reads.tags(name);
  if (listing.kind !== "tags" || !usesMoves(own)) return listing;
  const moved = new Map((await reads.moves(name)).map((move) => [move.tag, asCandidate(move)]));
  return { ...listing, tags: listing.tags.map((tag) => moved.get(tag) ?? tag) };
}

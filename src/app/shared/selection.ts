import { minAgeOf } from "#domain/gates/min-age";
import { platformsSetting } from "#domain/gates/platforms";
import { imageNameOf } from "#domain/image/reference";
import { asCandidate } from "#domain/policy/tag-history";
import type { ContainerSettings, WorkloadSettings } from "#domain/settings/settings";
import { asksWhenMoved, type CandidateTag, decidingTags, selectTag, usesMoves } from "#domain/policy/policy";
import { type Advice, adviseOn, decisiveTags } from "#domain/policy/suggestion";
import type { SelectionFailure, WorkloadRecord } from "#domain/update/state/workload";
import type { ContainerState, StoredAdvice } from "#domain/workload/observed";
import { currentImage, type DesiredImage, repositoryOf } from "#domain/update/decide/desired-image";
import type { RepositoryName, TagListing } from "#ports/registry";
import { allOf } from "./bounded.ts";
import { matchAhead } from "./matched-tags.ts";
import type { RegistryReads } from "./registry-reads.ts";
import { readOnceFor } from "./once.ts";
import { registryFailure, type SelectedContainer, selectionFailure, selectionKey } from "./tag-image.ts";
import { type SkippedTag, walkTags } from "./tag-walk.ts";
import { type ListedContainer, onlyDesired, type WalkedContainer, walkTogether } from "./together.ts";

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

/** Returns the preferred tags that a selection skips, by container. */
export async function skippedTags(
  record: WorkloadRecord,
  settings: WorkloadSettings,
  reads: RegistryReads,
): Promise<ReadonlyMap<string, readonly SkippedTag[]>> {
  const walked = await walkContainers(record, settings, reads);
  return new Map(walked.map(({ container, skipped }) => [container, skipped]));
}

async function walkContainers(
  record: WorkloadRecord,
  settings: WorkloadSettings,
  reads: RegistryReads,
  only?: string,
): Promise<readonly WalkedContainer[]> {
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
    const detail = `${closing.key} "${closing.value}": ${closing.message}`;
    return evaluated.map(({ container }) => failed(container, "problem-in-settings", detail));
  }
  const rules = {
    platforms: platformsSetting.valueIn(settings.gates) ?? [],
    comparesNodes: reads.comparesNodes(record.workload.cluster),
    minAge: minAgeOf(settings),
  };
  const selections = evaluated.map(({ container, name }) => {
    const own = settings.containers[container.name];
    if (own === undefined) return [];
    const notAllowed = reads.whyNotAllowed(name, record.workload);
    if (notAllowed !== undefined) return [failed(container, "registry-not-allowed", notAllowed)];
    const other = own.registry === undefined ? undefined : reads.whyOtherRegistry(own.registry, name, record.workload);
    if (other !== undefined) return [failed(container, "other-registry", other)];
    return [{ container, own: { ...own, ...rules }, name, record, reads }];
  });
  if (settings.together) return walkTogether(selections.flat(), listedTags);
  return allOf(selections.flat().map((one) => ("own" in one ? selectDesiredImage(one) : one)));
}

/** Selects the desired image of a container. */
async function selectDesiredImage(selected: SelectedContainer): Promise<WalkedContainer> {
  const container = selected.container;
  const listed = await listedTags(selected);
  if ("desired" in listed) return listed;
  const { own, tags, advice } = listed;
  const { policy } = own;
  if (policy.kind === "pinned") {
    const desired = await pinnedImage(container, own, policy, tags, selected.reads);
    return { container: container.name, ...onlyDesired(desired) };
  }
  const { desired, skipped } = await walkTags(listed, { listed: tags }, selected.reads.now());
  return { container: container.name, desired: { ...desired, advice }, skipped };
}

/** Lists the tags that a container may get. Returns the failure of a registry or of a slow pattern. */
async function listedTags(selected: SelectedContainer): Promise<ListedContainer | WalkedContainer> {
  const { container, own, name, reads } = selected;
  const failed = (failure: DesiredImage): WalkedContainer => ({ container: container.name, ...onlyDesired(failure) });
  const listing = await candidatesFor(container, own, name, reads);
  if (listing.kind !== "tags") return failed(registryFailure(container.name, listing, "repository-not-found"));
  const rule = await matchAhead(own, listing.tags, reads.spending);
  if (rule === undefined) return failed(selectionFailure(container.name, "pattern-too-slow", own.policyText));
  const advice = rule.policy.kind === "pinned" ? "none" : storedAdvice(await adviceFor(rule, selected, listing.tags));
  return { ...selected, own: rule, tags: listing.tags, advice };
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

/**
 * Returns the tags that may be selected.
 *
 * Policies that follow the running tag or moves need no listing from the registry.
 */
async function candidatesFor(
  container: ContainerState,
  own: ContainerSettings,
  name: RepositoryName,
  reads: RegistryReads,
): Promise<{ readonly kind: "tags"; readonly tags: readonly CandidateTag[] } | Exclude<TagListing, { kind: "tags" }>> {
  if (own.policy.kind === "digest") return { kind: "tags", tags: [] };
  if (!asksWhenMoved(own.policy)) {
    const listing = await reads.tags(name);
    return listing.kind === "tags" ? { ...listing, tags: await withMoves(listing.tags, own, name, reads) } : listing;
  }
  const { tag } = currentImage(container);
  return { kind: "tags", tags: [...(await reads.moves(name)).map(asCandidate), ...(tag === undefined ? [] : [tag])] };
}

/** Returns listed tags with their known moves, if the policy compares moves. */
export async function withMoves(
  tags: readonly string[],
  own: ContainerSettings,
  name: RepositoryName,
  reads: RegistryReads,
): Promise<readonly CandidateTag[]> {
  if (!usesMoves(own)) return tags;
  const moved = new Map((await reads.moves(name)).map((move) => [move.tag, asCandidate(move)]));
  return tags.map((tag) => moved.get(tag) ?? tag);
}

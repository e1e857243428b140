import { repositoryKey } from "#domain/image/reference";
import { asCandidate } from "#domain/policy/tag-history";
import type { ContainerSettings, WorkloadSettings } from "#domain/settings/settings";
import { asksWhenMoved, type CandidateTag, type Selection, nameOf } from "#domain/policy/policy";
import type { SelectionFailure, WorkloadRecord } from "#domain/update/states";
import type { ContainerState } from "#domain/workload/observed";
import {
  currentImage,
  selectFor,
  platformsMatter,
  repositoryOf,
  type ResolvedTag,
  type DesiredImage,
  desiredImageFor,
} from "#domain/update/desired-image";
import type { RepositoryName, RegistryRefusal, TagListing } from "#ports/registry";
import { allOf } from "./bounded.ts";
import type { RegistryReads } from "./registry-reads.ts";

/** Asks the registries what the policies of a workload select; nothing is asked twice within one selection. */
export interface Selections {
  /**
   * Answers one desired image per container that is tracked, in the record's order.
   *
   * @param only - `registry/path`: only the containers of this repository are looked at.
   */
  desiredImages(record: WorkloadRecord, settings: WorkloadSettings, only?: string): Promise<readonly DesiredImage[]>;
}

/** Starts a selection round over what is asked of the registries in it. */
export function selectionsOver(reads: RegistryReads): Selections {
  return {
    async desiredImages(record, settings, only) {
      const closing = settings.problems.find(({ closes }) => closes);
      const containers = record.observed.containers.filter((container) => takesPart(container, settings, only));
      if (closing !== undefined)
        return containers.map(({ name }) =>
          selectionFailure(name, "problem-in-settings", `${closing.key} "${closing.value}": ${closing.message}`),
        );
      return allOf(containers.map((container) => desiredImageOf(container, record, settings, reads)));
    },
  };
}

function takesPart(container: ContainerState, settings: WorkloadSettings, only: string | undefined): boolean {
  const name = repositoryOf(container);
  if (name === undefined) return false;
  const listed = settings.containers[container.name] !== undefined || settings.problems.some(({ closes }) => closes);
  return listed && (only === undefined || repositoryKey(name) === only);
}

async function desiredImageOf(
  container: ContainerState,
  record: WorkloadRecord,
  settings: WorkloadSettings,
  reads: RegistryReads,
): Promise<DesiredImage> {
  const own = settings.containers[container.name];
  const name = repositoryOf(container);
  if (own === undefined || name === undefined) return selectionFailure(container.name, "problem-in-settings");
  const listing = await candidatesFor(container, own, name, reads);
  if (listing.kind !== "tags") return registryFailure(container.name, listing, "repository-not-found");
  return select(container, own, { name, tags: listing.tags }, record.refusals, reads);
}

/**
 * Lists the tags that may win. Where the running tag alone is followed none is asked for, and where what moved last is followed nothing that
 * was not seen moving can win but what runs: the registry then lists nothing.
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

/** How many refused tags are passed over in favour of the next before the selection is given up. */
const refusedPassedOver = 20;

/**
 * A tag that did not run stands in nobody's way: the next that fits is selected, and the first refusal told where none does. What a person
 * moved the workload off does: whatever else is older than that would be put over their choice. A tag that moved and is gone since is
 * passed over too.
 */
async function select(
  container: ContainerState,
  own: ContainerSettings,
  { name, tags }: { readonly name: RepositoryName; readonly tags: readonly CandidateTag[] },
  refusals: WorkloadRecord["refusals"],
  reads: RegistryReads,
): Promise<DesiredImage> {
  let candidates = tags;
  let refused: DesiredImage | undefined;
  const most = own.policy.kind === "digest" ? 1 : refusedPassedOver;
  for (let passedOver = 0; passedOver < most; passedOver += 1) {
    const selection = selectFor(container, own, candidates);
    if (selection.kind === "none") return refused ?? selectionFailure(container.name, selection.reason, own.policyText);
    const desired = await desiredImageOfTag(container, own, name, selection.tag, refusals, reads);
    const passed = whyPassedOver(desired, selection, own, name, refusals);
    if (passed === undefined) return desired.kind === "change" ? desired : (refused ?? desired);
    if (passed === "refused") refused ??= desired;
    candidates = candidates.filter((tag) => nameOf(tag) !== selection.tag);
  }
  return refused ?? selectionFailure(container.name, "no-tag-fits", own.policyText);
}

function whyPassedOver(
  desired: DesiredImage,
  { kind, tag }: Exclude<Selection, { kind: "none" }>,
  { policy }: ContainerSettings,
  name: RepositoryName,
  refusals: WorkloadRecord["refusals"],
): "refused" | "gone" | undefined {
  if (desired.kind !== "failure") return undefined;
  const { reason } = desired.selectionFailure;
  if (reason === "refused-before") return isSomeonesWill(tag, name, refusals) ? undefined : "refused";
  const isGone = reason === "tag-not-found" && kind === "elected" && asksWhenMoved(policy);
  return isGone ? "gone" : undefined;
}

function isSomeonesWill(tag: string, name: RepositoryName, refusals: WorkloadRecord["refusals"]): boolean {
  const repository = repositoryKey(name);
  return refusals.some(
    (refusal) => refusal.reason === "changed-by-hand" && refusal.tag === tag && refusal.repository === repository,
  );
}

async function desiredImageOfTag(
  container: ContainerState,
  own: ContainerSettings,
  name: RepositoryName,
  tag: string,
  refusals: WorkloadRecord["refusals"],
  reads: RegistryReads,
): Promise<DesiredImage> {
  const read = await reads.resolve(name, tag);
  if (read.kind !== "manifest") return registryFailure(container.name, read, "tag-not-found", tag);
  const resolved = platformsMatter(container, own, tag, read.digest) ? await reads.manifest(name, read.digest) : read;
  if (resolved.kind !== "manifest") return registryFailure(container.name, resolved, "tag-not-found", tag);
  return desiredImageFor(container, own, tag, resolved satisfies ResolvedTag, refusals);
}

function registryFailure(
  container: string,
  refusal: RegistryRefusal | { readonly kind: "not-found" },
  notFound: "repository-not-found" | "tag-not-found",
  tag?: string,
): DesiredImage {
  if (refusal.kind === "not-found") return selectionFailure(container, notFound, tag);
  return selectionFailure(
    container,
    refusal.kind === "denied" ? "registry-denied" : "registry-unreachable",
    refusal.detail,
  );
}

function selectionFailure(container: string, reason: SelectionFailure["reason"], detail?: string): DesiredImage {
  return { kind: "failure", selectionFailure: { container, reason, ...(detail === undefined ? {} : { detail }) } };
}

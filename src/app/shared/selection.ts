import { repositoryKey } from "#domain/image/reference";
import { asCandidate } from "#domain/policy/tag-history";
import type { ContainerSettings, WorkloadSettings } from "#domain/settings/settings";
import { asksWhenMoved, type CandidateTag, type Election, nameOf } from "#domain/policy/policy";
import type { Obstacle, WorkloadRecord } from "#domain/update/states";
import type { ContainerState } from "#domain/workload/observed";
import {
  currentImage,
  electFor,
  platformsMatter,
  repositoryOf,
  type ResolvedTag,
  type Wish,
  wishFor,
} from "#domain/update/desired-image";
import type { RepositoryName, RegistryRefusal, TagListing } from "#ports/registry";
import { allOf } from "./bounded.ts";
import type { RegistryReads } from "./registry-reads.ts";

/** Asks the registries what the policies of a workload elect; nothing is asked twice within one election. */
export interface Elections {
  /**
   * Answers one wish per container that takes part, in the record's order.
   *
   * @param only - `registry/path`: only the containers of this repository are looked at.
   */
  wishes(record: WorkloadRecord, settings: WorkloadSettings, only?: string): Promise<readonly Wish[]>;
}

/** Starts an election round over what is asked of the registries in it. */
export function electionsOver(reads: RegistryReads): Elections {
  return {
    async wishes(record, settings, only) {
      const closing = settings.problems.find(({ closes }) => closes);
      const containers = record.observed.containers.filter((container) => takesPart(container, settings, only));
      if (closing !== undefined)
        return containers.map(({ name }) =>
          obstacle(name, "problem-in-settings", `${closing.key} "${closing.value}": ${closing.message}`),
        );
      return allOf(containers.map((container) => wishOf(container, record, settings, reads)));
    },
  };
}

function takesPart(container: ContainerState, settings: WorkloadSettings, only: string | undefined): boolean {
  const name = repositoryOf(container);
  if (name === undefined) return false;
  const listed = settings.containers[container.name] !== undefined || settings.problems.some(({ closes }) => closes);
  return listed && (only === undefined || repositoryKey(name) === only);
}

async function wishOf(
  container: ContainerState,
  record: WorkloadRecord,
  settings: WorkloadSettings,
  reads: RegistryReads,
): Promise<Wish> {
  const own = settings.containers[container.name];
  const name = repositoryOf(container);
  if (own === undefined || name === undefined) return obstacle(container.name, "problem-in-settings");
  const listing = await candidatesFor(container, own, name, reads);
  if (listing.kind !== "tags") return registryObstacle(container.name, listing, "repository-not-found");
  return elect(container, own, { name, tags: listing.tags }, record.refusals, reads);
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

/** How many refused tags are passed over in favour of the next before the election is given up. */
const refusedPassedOver = 20;

/**
 * A tag that did not run stands in nobody's way: the next that fits is elected, and the first refusal told where none does. What a person
 * moved the workload off does: whatever else is older than that would be put over their choice. A tag that moved and is gone since is
 * passed over too.
 */
async function elect(
  container: ContainerState,
  own: ContainerSettings,
  { name, tags }: { readonly name: RepositoryName; readonly tags: readonly CandidateTag[] },
  refusals: WorkloadRecord["refusals"],
  reads: RegistryReads,
): Promise<Wish> {
  let candidates = tags;
  let refused: Wish | undefined;
  const most = own.policy.kind === "digest" ? 1 : refusedPassedOver;
  for (let passedOver = 0; passedOver < most; passedOver += 1) {
    const election = electFor(container, own, candidates);
    if (election.kind === "none") return refused ?? obstacle(container.name, election.reason, own.policyText);
    const wish = await wishOfTag(container, own, name, election.tag, refusals, reads);
    const passed = whyPassedOver(wish, election, own, name, refusals);
    if (passed === undefined) return wish.kind === "change" ? wish : (refused ?? wish);
    if (passed === "refused") refused ??= wish;
    candidates = candidates.filter((tag) => nameOf(tag) !== election.tag);
  }
  return refused ?? obstacle(container.name, "no-tag-fits", own.policyText);
}

function whyPassedOver(
  wish: Wish,
  { kind, tag }: Exclude<Election, { kind: "none" }>,
  { policy }: ContainerSettings,
  name: RepositoryName,
  refusals: WorkloadRecord["refusals"],
): "refused" | "gone" | undefined {
  if (wish.kind !== "obstacle") return undefined;
  const { reason } = wish.obstacle;
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

async function wishOfTag(
  container: ContainerState,
  own: ContainerSettings,
  name: RepositoryName,
  tag: string,
  refusals: WorkloadRecord["refusals"],
  reads: RegistryReads,
): Promise<Wish> {
  const read = await reads.resolve(name, tag);
  if (read.kind !== "manifest") return registryObstacle(container.name, read, "tag-not-found", tag);
  const resolved = platformsMatter(container, own, tag, read.digest) ? await reads.manifest(name, read.digest) : read;
  if (resolved.kind !== "manifest") return registryObstacle(container.name, resolved, "tag-not-found", tag);
  return wishFor(container, own, tag, resolved satisfies ResolvedTag, refusals);
}

function registryObstacle(
  container: string,
  refusal: RegistryRefusal | { readonly kind: "not-found" },
  notFound: "repository-not-found" | "tag-not-found",
  tag?: string,
): Wish {
  if (refusal.kind === "not-found") return obstacle(container, notFound, tag);
  return obstacle(container, refusal.kind === "denied" ? "registry-denied" : "registry-unreachable", refusal.detail);
}

function obstacle(container: string, reason: Obstacle["reason"], detail?: string): Wish {
  return { kind: "obstacle", obstacle: { container, reason, ...(detail === undefined ? {} : { detail }) } };
}

import { repositoryKey } from "#domain/image-reference";
import type { ContainerSettings, WorkloadSettings } from "#domain/settings/settings";
import type { ContainerState, Obstacle, WorkloadRecord } from "#domain/update";
import { electFor, platformsMatter, repositoryOf, type ResolvedTag, type Wish, wishFor } from "#domain/wish";
import type { ManifestRead, Registry, RepositoryName, RegistryRefusal, TagListing } from "#ports/registry";
import { allOf } from "./bounded.ts";
import { readOnce } from "./once.ts";

/** Asks the registries what the policies of a workload elect; nothing is asked twice within one election. */
export interface Elections {
  /**
   * Answers one wish per container that takes part, in the record's order.
   *
   * @param only - `registry/path`: only the containers of this repository are looked at.
   */
  wishes(record: WorkloadRecord, settings: WorkloadSettings, only?: string): Promise<readonly Wish[]>;
}

/**
 * Starts an election round: what is read from the registries is kept until it ends.
 *
 * @param likely - a tag that is likely to be elected: it is resolved while the tags of its repository are listed. It decides nothing.
 */
export function electionsOver(registry: Registry, signal: AbortSignal, likely?: LikelyTag): Elections {
  const reads = readsOver(registry, signal, likely);
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

/** A tag of a repository, if one is known. */
export type LikelyTag = RepositoryName & { readonly tag?: string; readonly digest?: string };

interface Reads {
  tags(name: RepositoryName): Promise<TagListing>;
  resolve(name: RepositoryName, tag: string): Promise<ManifestRead>;
  manifest(name: RepositoryName, digest: string): Promise<ManifestRead>;
}

function readsOver(registry: Registry, signal: AbortSignal, likely: LikelyTag | undefined): Reads {
  const once = readOnce();
  const resolve: Reads["resolve"] = (name, tag) =>
    once(`tag ${repositoryKey(name)} ${tag}`, () => registry.resolve(name, tag, signal));
  const listing = async (name: RepositoryName): Promise<TagListing> => {
    const likelyHere = likely?.tag !== undefined && repositoryKey(likely) === repositoryKey(name);
    // Whoever needs the tag is told of a failure.
    const resolved = likelyHere ? resolve(name, likely.tag).catch(() => undefined) : undefined;
    const [listed] = await allOf([registry.tags(name, signal), resolved]);
    return listed;
  };
  return {
    tags: (name) => once(`tags ${repositoryKey(name)}`, () => listing(name)),
    resolve,
    manifest: (name, digest) =>
      once(`digest ${repositoryKey(name)} ${digest}`, () => registry.manifest(name, digest, signal)),
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
  reads: Reads,
): Promise<Wish> {
  const own = settings.containers[container.name];
  const name = repositoryOf(container);
  if (own === undefined || name === undefined) return obstacle(container.name, "problem-in-settings");
  const listing = own.policy.kind === "digest" ? ({ kind: "tags", tags: [] } as const) : await reads.tags(name);
  if (listing.kind !== "tags") return registryObstacle(container.name, listing, "repository-not-found");
  return elect(container, own, { name, tags: listing.tags }, record.refusals, reads);
}

/** How many refused tags are passed over in favour of the next before the election is given up. */
const refusedPassedOver = 20;

/**
 * A tag that did not run stands in nobody's way: the next that fits is elected, and the first refusal told where none does. What a person
 * moved the workload off does: whatever else is older than that would be put over their choice.
 */
async function elect(
  container: ContainerState,
  own: ContainerSettings,
  { name, tags }: { readonly name: RepositoryName; readonly tags: readonly string[] },
  refusals: WorkloadRecord["refusals"],
  reads: Reads,
): Promise<Wish> {
  let candidates = tags;
  let refused: Wish | undefined;
  const most = own.policy.kind === "digest" ? 1 : refusedPassedOver;
  for (let passedOver = 0; passedOver < most; passedOver += 1) {
    const election = electFor(container, own, candidates);
    if (election.kind === "none") return refused ?? obstacle(container.name, election.reason, own.policyText);
    const wish = await wishOfTag(container, own, name, election.tag, refusals, reads);
    const passedBy = isRefusal(wish) && !isSomeonesWill(election.tag, name, refusals);
    if (!passedBy) return wish.kind === "change" ? wish : (refused ?? wish);
    refused ??= wish;
    candidates = candidates.filter((tag) => tag !== election.tag);
  }
  return refused ?? obstacle(container.name, "no-tag-fits", own.policyText);
}

function isRefusal(wish: Wish): boolean {
  return wish.kind === "obstacle" && wish.obstacle.reason === "refused-before";
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
  reads: Reads,
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

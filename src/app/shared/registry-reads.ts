import type { TagMove } from "#domain/policy/tag-history";
import { nodeRuleOf } from "#domain/gates/node-rules";
import { imageNameOf } from "#domain/image/reference";
import { whyNotAllowed, whyOtherRegistry } from "#domain/workload/registry-rules";
import type { WorkloadName } from "#domain/workload/workload";
import type { EpochMs } from "#domain/shared/time";
import type { ConfigRead, ManifestRead, RepositoryName, TagListing } from "#ports/registry";
import type { Patterns } from "#ports/patterns";
import { answeringRegistry } from "./answering-registry.ts";
import { allOf } from "./bounded.ts";
import { readOnce } from "./once.ts";
import type { Ports } from "./ports.ts";
import { readSeenTags, type SeenTags } from "./seen-tags.ts";

/** The registry reads of one evaluation. Nothing is read twice. */
export interface RegistryReads {
  tags(name: RepositoryName): Promise<TagListing>;
  resolve(name: RepositoryName, tag: string): Promise<ManifestRead>;
  /**
   * Returns the result of an earlier {@link resolve}; undefined when no caller has resolved the
   * tag.
   */
  resolved(name: RepositoryName, tag: string): Promise<ManifestRead> | undefined;
  manifest(name: RepositoryName, digest: string): Promise<ManifestRead>;
  config(name: RepositoryName, digest: string): Promise<ConfigRead>;
  /** Returns the stored moves of tags. */
  moves(name: RepositoryName): Promise<readonly TagMove[]>;
  /** Returns the sightings of tags, which only workloads with a minimum age need. */
  seen(name: RepositoryName): Promise<SeenTags>;
  /** Returns the tag of the push that caused the evaluation. Undefined for another repository. */
  pushedTag(name: RepositoryName): string | undefined;
  /** Returns the digests that are in quarantine. */
  quarantined(digests: readonly string[]): Promise<ReadonlySet<string>>;
  /** Returns the instant by which ages are judged. */
  now(): EpochMs;
  /** Lets other work run, as the port of patterns does. Rejects after the evaluation was cancelled. */
  readonly turn: Patterns["turn"];
  /** Returns whether a rule compares images with the nodes of a cluster. */
  comparesNodes(cluster: string): boolean;
  /** Returns the first unexpected error of a registry, for the log. Undefined without one. */
  failure(): unknown;
  /**
   * Returns why `lookout.yaml` forbids a workload the use of a repository, or undefined if the use
   * is allowed.
   */
  whyNotAllowed(name: RepositoryName, workload: WorkloadName): string | undefined;
  /**
   * Returns why the registry that a workload names does not serve a repository, or undefined if the
   * registry serves the repository.
   */
  whyOtherRegistry(named: string, name: RepositoryName, workload: WorkloadName): string | undefined;
}

/** A repository, with the tag and digest of a push if they are known. */
export type LikelyTag = RepositoryName & { readonly tag?: string; readonly digest?: string };

/** The ports that the reads of an evaluation use. */
export type RegistryReadPorts = Pick<
  Ports,
  | "registry"
  | "registryRules"
  | "nodeRules"
  | "tagHistory"
  | "patterns"
  | "defaults"
  | "sightings"
  | "quarantine"
  | "clock"
>;

/**
 * Returns the reads of one evaluation.
 *
 * @param likely - a tag to resolve while the tags are listed. The early read saves time, and
 *   changes no selection.
 */
export function startRegistryReads(ports: RegistryReadPorts, signal: AbortSignal, likely?: LikelyTag): RegistryReads {
  const { registryRules, nodeRules, tagHistory, patterns, quarantine } = ports;
  let failure: unknown;
  const registry = answeringRegistry(ports.registry, (error) => (failure ??= error));
  const once = readOnce();
  const resolves = new Map<string, Promise<ManifestRead>>();
  const resolve: RegistryReads["resolve"] = (name, tag) => {
    const key = `${imageNameOf(name)} ${tag}`;
    const read = resolves.get(key) ?? registry.resolve(name, tag, signal);
    resolves.set(key, read);
    return read;
  };
  const listing = async (name: RepositoryName): Promise<TagListing> => {
    const likelyHere = likely?.tag !== undefined && imageNameOf(likely) === imageNameOf(name);
    // The selection of this tag reports the failure.
    const resolved = likelyHere ? resolve(name, likely.tag).catch(() => undefined) : undefined;
    const [listed] = await allOf([registry.tags(name, signal), resolved]);
    return listed;
  };
  return {
    failure: () => failure,
    now: () => ports.clock.now(),
    turn: async () => {
      await patterns.turn();
      signal.throwIfAborted();
    },
    tags: (name) => once(`tags ${imageNameOf(name)}`, () => listing(name)),
    resolve,
    resolved: (name, tag) => resolves.get(`${imageNameOf(name)} ${tag}`),
    manifest: (name, digest) =>
      once(`digest ${imageNameOf(name)} ${digest}`, () => registry.manifest(name, digest, signal)),
    config: (name, digest) =>
      once(`config ${imageNameOf(name)} ${digest}`, () => registry.config(name, digest, signal)),
    comparesNodes: (cluster) => nodeRuleOf(nodeRules, cluster) !== undefined,
    seen: (name) => once(`seen ${imageNameOf(name)}`, () => readSeenTags(name, ports)),
    pushedTag: (name) => (likely !== undefined && imageNameOf(likely) === imageNameOf(name) ? likely.tag : undefined),
    quarantined: (digests) =>
      once(`quarantined ${digests.join()}`, async () => {
        const found = digests.length === 0 ? [] : await quarantine.among(digests);
        return new Set(found.map(({ digest }) => digest));
      }),
    moves: (name) => once(`moves ${imageNameOf(name)}`, () => tagHistory.list(name)),
    whyNotAllowed: (name, workload) => whyNotAllowed(registryRules, name, workload),
    whyOtherRegistry: (named, name, workload) => whyOtherRegistry(registryRules, named, name, workload),
  };
}

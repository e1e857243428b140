import type { CandidateTag } from "#domain/policy/policy";
import type { TagMove } from "#domain/policy/tag-history";
import { hasNodeRule, nodeRuleOf } from "#domain/gates/node-rules";
import type { TierFacts } from "#domain/tiers/facts";
import type { ImageOrigin } from "#domain/image/origin";
import { parseEcrHost } from "#domain/registry/ecr-host";
import { imageNameOf } from "#domain/image/reference";
import { whyNotAllowed, whyOtherRegistry } from "#domain/workload/registry-rules";
import type { WorkloadRecord } from "#domain/update/state/workload";
import type { WorkloadName } from "#domain/workload/workload";
import { durationMs, type EpochMs } from "#domain/shared/time";
import type { Asking, ConfigRead, ManifestRead, RepositoryName, TagListing } from "#ports/registry";
import type { Spending } from "#ports/spending";
import { answeringRegistry } from "./answering-registry.ts";
import { allOf } from "./bounded.ts";
import { readOnce } from "./once.ts";
import type { Ports } from "./ports.ts";
import { readOrigin } from "./read-origin.ts";
import { readSeenTags, type SeenTags } from "./seen-tags.ts";
import { type TierReads, tierReads } from "./tiers.ts";

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
  /**
   * Returns the origin that an image states. Returns undefined also if the registry does not say it
   * at once: no update waits for it.
   */
  origin(name: RepositoryName, digest: string): Promise<ImageOrigin | undefined>;
  /** Returns the stored moves of tags. */
  moves(name: RepositoryName): Promise<readonly TagMove[]>;
  /** Returns the sightings of tags, which only workloads with a minimum age need. */
  seen(name: RepositoryName): Promise<SeenTags>;
  /** Returns the tag of the push that caused the evaluation. Undefined for another repository. */
  pushedTag(name: RepositoryName): string | undefined;
  /** Returns the digests that are in quarantine. */
  quarantined(digests: readonly string[]): Promise<ReadonlySet<string>>;
  /** Returns what the tiers mean for a workload. */
  tier(record: WorkloadRecord): Promise<TierFacts>;
  /** Returns the instant by which ages are judged. */
  now(): EpochMs;
  /** Runs work on so many tags: a few at once, and many in turn with other namespaces. */
  onTags<Answer>(tags: number, work: () => Answer): Answer | Promise<Answer>;
  /**
   * Returns the few tags of a long listing that are enough for a question, or a short listing itself.
   * Reads a long listing in parts.
   *
   * @param enough - returns these tags of a part.
   */
  fewOf(
    tags: readonly CandidateTag[],
    enough: (part: readonly CandidateTag[]) => readonly CandidateTag[],
  ): Promise<readonly CandidateTag[]>;
  /** The spending of the run. */
  readonly spending: Spending;
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

/** The time for all requests about one image's origin. */
const originWithin = durationMs(500);

/** Work on so many tags takes a millisecond, and needs no turn. */
const quicklyRead = 5_000;

/**
 * Returns the reads of one evaluation.
 *
 * @param payers - the namespaces of the evaluated workloads, as `cluster/namespace`.
 * @param likely - a tag to resolve while the tags are listed. The early read saves time, and
 *   changes no selection.
 */
export function startRegistryReads(
  ports: Ports,
  payers: readonly string[],
  signal: AbortSignal,
  likely?: LikelyTag,
  tiers: TierReads = tierReads(ports),
): RegistryReads {
  const {
    tagHistory,
    quarantine,
    rules: { registries: registryRules, nodes: nodeRules },
  } = ports;
  const spending = ports.spending.paidBy(payers);
  const asking = { spending };
  let failure: unknown;
  const registry = answeringRegistry(ports.registry, (error) => (failure ??= error));
  const once = readOnce();
  // The stack may read layers in ECR, and so configurations, only for a rule about nodes.
  const mayReadConfig = ({ registry: host }: RepositoryName) =>
    parseEcrHost(host) === undefined || hasNodeRule(nodeRules);
  const manifests = new Map<string, Promise<ManifestRead>>();
  const configs = new Map<string, Promise<ConfigRead>>();
  const resolves = new Map<string, Promise<ManifestRead>>();
  const resolve: RegistryReads["resolve"] = (name, tag) => {
    const key = `${imageNameOf(name)} ${tag}`;
    const read = resolves.get(key) ?? registry.resolve(name, tag, signal, asking);
    resolves.set(key, read);
    return read;
  };
  const listing = async (name: RepositoryName): Promise<TagListing> => {
    const likelyHere = likely?.tag !== undefined && imageNameOf(likely) === imageNameOf(name);
    // The selection of this tag reports the failure.
    const resolved = likelyHere ? resolve(name, likely.tag).catch(() => undefined) : undefined;
    const [listed] = await allOf([registry.tags(name, signal, asking), resolved]);
    return listed;
  };
  return {
    failure: () => failure,
    now: () => ports.clock.now(),
    onTags: (tags, work) => (tags <= quicklyRead ? work() : spending.turn(work)),
    async fewOf(tags, enough) {
      if (tags.length <= quicklyRead) return tags;
      let kept: readonly CandidateTag[] = [];
      for (let from = 0; from < tags.length; from += quicklyRead) {
        const part = [...kept, ...tags.slice(from, from + quicklyRead)];
        kept = await spending.turn(() => enough(part));
      }
      return kept;
    },
    spending,
    tags: (name) => once(`tags ${imageNameOf(name)}`, () => listing(name)),
    resolve,
    resolved: (name, tag) => resolves.get(`${imageNameOf(name)} ${tag}`),
    manifest: (name, digest) =>
      keptIn(manifests, contentKey(name, digest), () => registry.manifest(name, digest, signal, asking)),
    config: (name, digest) =>
      keptIn(configs, contentKey(name, digest), () => registry.config(name, digest, signal, asking)),
    origin: (name, digest) =>
      once(`origin ${contentKey(name, digest)}`, () => {
        const ask = spareRequests(ports.clock, asking);
        return readOrigin(digest, {
          manifest: (of) =>
            manifests.get(contentKey(name, of)) ?? ask((spare) => registry.manifest(name, of, signal, spare)),
          config: async (of) =>
            configs.get(contentKey(name, of)) ??
            (mayReadConfig(name) ? ask((spare) => registry.config(name, of, signal, spare)) : { kind: "not-found" }),
        });
      }),
    comparesNodes: (cluster) => nodeRuleOf(nodeRules, cluster) !== undefined,
    seen: (name) => once(`seen ${imageNameOf(name)}`, () => readSeenTags(name, ports)),
    pushedTag: (name) => (likely !== undefined && imageNameOf(likely) === imageNameOf(name) ? likely.tag : undefined),
    tier: (record) => tiers.of(record),
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

function contentKey(name: RepositoryName, digest: string): string {
  return `${imageNameOf(name)} ${digest}`;
}

/** Returns the value of a key, and reads it the first time. */
function keptIn<Value>(kept: Map<string, Promise<Value>>, key: string, read: () => Promise<Value>): Promise<Value> {
  const value = kept.get(key) ?? read();
  kept.set(key, value);
  return value;
}

/**
 * Returns a function that sends requests whose answers an update can do without. All of them have
 * {@link originWithin} together.
 */
function spareRequests(clock: Ports["clock"], asking: Asking) {
  let left: number = originWithin;
  return async <Answer>(
    send: (asking: Asking) => Promise<Answer>,
  ): Promise<Answer | { readonly kind: "not-found" }> => {
    if (left <= 0) return { kind: "not-found" };
    const beganAt = clock.now();
    const answer = await send({ ...asking, spareWithin: durationMs(left) });
    left -= Math.max(0, clock.now() - beganAt);
    return answer;
  };
}

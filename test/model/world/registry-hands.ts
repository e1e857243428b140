import { memoryRegistry as bareRegistry, type MemoryRegistry as BareRegistry } from "#adapters/memory/registry";
import type { Registry, RegistryRefusal } from "#ports/registry";

/** Registries in memory with acts of people, faults and counts of requests. */
export interface MemoryRegistry extends BareRegistry {
  /** The number of each kind of request, including refused requests. An inspection is a listing. */
  readonly calls: Readonly<Record<Question, number>>;
  /**
   * Moves a tag to an earlier digest of the repository.
   *
   * @throws RangeError for an unknown digest
   */
  moveTag(registry: string, repository: string, tag: string, digest: string): void;
  /** Deletes a tag. The content and the repository stay. */
  deleteTag(registry: string, repository: string, tag: string): void;
  /** Deletes a digest and its tags, as the garbage collection of a registry does. */
  deleteDigest(registry: string, repository: string, digest: string): void;
  /** Starts or ends an outage of a host. */
  unreachable(host: string, is: boolean): void;
  /** Makes a host refuse or accept the credential. */
  denied(host: string, is: boolean): void;
}

type Question = Exclude<keyof Registry, "inspect" | "answers">;

/** Returns registries without repositories, for tests. */
export function memoryRegistry(): MemoryRegistry {
  const bare = bareRegistry();
  const refusals = new Map<string, RegistryRefusal>();
  const calls = { tags: 0, resolve: 0, manifest: 0, config: 0 };
  const refuse = (host: string, is: boolean, refusal: RegistryRefusal): void => {
    if (is) refusals.set(host, refusal);
    else refusals.delete(host);
  };
  const findBlocked = (question: Question, host: string, signal: AbortSignal): RegistryRefusal | undefined => {
    calls[question] += 1;
    return signal.aborted ? undefined : refusals.get(host);
  };
  return {
    ...bare,
    calls,
    tags: async (name, signal) => findBlocked("tags", name.registry, signal) ?? bare.tags(name, signal),
    inspect: async (name, signal) => {
      const blocked = findBlocked("tags", name.registry, signal);
      return blocked === undefined ? bare.inspect(name, signal) : { listing: blocked };
    },
    resolve: async (name, tag, signal) =>
      findBlocked("resolve", name.registry, signal) ?? bare.resolve(name, tag, signal),
    manifest: async (name, digest, signal) =>
      findBlocked("manifest", name.registry, signal) ?? bare.manifest(name, digest, signal),
    config: async (name, digest, signal) =>
      findBlocked("config", name.registry, signal) ?? bare.config(name, digest, signal),
    answers: async ({ registry }) => ({ kind: refusals.has(registry) ? "no-answer" : "answers" }),
    moveTag(registry, repository, tag, digest) {
      if (bare.repositories.get(`${registry}/${repository}`)?.manifests.has(digest) !== true)
        throw new RangeError(`${registry}/${repository} has no ${digest}; push it first`);
      bare.push(registry, repository, tag, { digest });
    },
    deleteTag: (registry, repository, tag) => void bare.repositories.get(`${registry}/${repository}`)?.tags.delete(tag),
    deleteDigest(registry, repository, digest) {
      const found = bare.repositories.get(`${registry}/${repository}`);
      found?.manifests.delete(digest);
      for (const [tag, of] of found?.tags ?? []) if (of === digest) found?.tags.delete(tag);
    },
    unreachable: (host, is) =>
      refuse(host, is, { kind: "unreachable", detail: `${host} could not be reached`, isOutage: true }),
    denied: (host, is) => refuse(host, is, { kind: "denied", detail: `${host} answered 401` }),
  };
}

import { createHash } from "node:crypto";
import { TransientError } from "#ports/errors";
import type { ManifestRead, Registry, RegistryRefusal, RepositoryName } from "#ports/registry";

/** What is pushed besides the name; a single image with a digest of its own unless told. */
export interface PushOptions {
  /** Makes it an index with one image for each, such as `linux/arm64`. */
  readonly platforms?: readonly string[];
  /** Content that is known already, or a digest that a test names. */
  readonly digest?: string;
}

/** Registries that live in memory, with the hands that push to them and break them. */
export interface MemoryRegistry extends Registry {
  /** How often each question was asked, refused ones too. */
  readonly calls: Readonly<Record<keyof Registry, number>>;
  /**
   * Pushes an image under a tag and answers its digest.
   *
   * Each push without a digest is new content; the same pushes in the same order have the same digests.
   */
  push(registry: string, repository: string, tag: string, options?: PushOptions): string;
  /** Lets a tag name content that was pushed to the repository before. @throws RangeError when there is none. */
  moveTag(registry: string, repository: string, tag: string, digest: string): void;
  /** Takes a tag away; the content stays, and so does the repository. */
  deleteTag(registry: string, repository: string, tag: string): void;
  /** Cuts a host off, or brings it back. */
  unreachable(host: string, is: boolean): void;
  /** Makes a host refuse the credential, or take it again. */
  denied(host: string, is: boolean): void;
}

interface Repository {
  readonly tags: Map<string, string>;
  /** The platforms' digests by digest. */
  readonly manifests: Map<string, readonly string[]>;
}

/** Answers registries without any repository; a repository is there from its first push on. */
export function memoryRegistry(): MemoryRegistry {
  const repositories = new Map<string, Repository>();
  const refusals = { unreachable: new Set<string>(), denied: new Set<string>() };
  const calls = { tags: 0, resolve: 0, manifest: 0 };

  const ask = (question: keyof Registry, { registry, repository }: RepositoryName, signal: AbortSignal) => {
    calls[question]++;
    if (signal.aborted) {
      throw new TransientError(`the request to ${registry} was given up by its caller`, { cause: signal.reason });
    }
    const refusal = refusalOf(registry, refusals);
    return refusal ?? repositories.get(`${registry}/${repository}`) ?? ({ kind: "not-found" } as const);
  };

  return {
    calls,
    ...handsOf(repositories, refusals),
    async tags(name, signal) {
      const found = ask("tags", name, signal);
      return "kind" in found ? found : { kind: "tags", tags: [...found.tags.keys()] };
    },
    async resolve(name, tag, signal) {
      const found = ask("resolve", name, signal);
      if ("kind" in found) return found;
      const digest = found.tags.get(tag);
      return digest === undefined ? { kind: "not-found" } : { kind: "manifest", digest, platforms: [] };
    },
    async manifest(name, digest, signal): Promise<ManifestRead> {
      const found = ask("manifest", name, signal);
      if ("kind" in found) return found;
      const platforms = found.manifests.get(digest);
      return platforms === undefined ? { kind: "not-found" } : { kind: "manifest", digest, platforms };
    },
  };
}

type Hands = Omit<MemoryRegistry, keyof Registry | "calls">;

function handsOf(repositories: Map<string, Repository>, refusals: Refusals): Hands {
  const set = (hosts: Set<string>, host: string, is: boolean): void => {
    if (is) hosts.add(host);
    else hosts.delete(host);
  };
  return {
    push(registry, repository, tag, options = {}) {
      const place = `${registry}/${repository}`;
      const found = repositories.get(place) ?? { tags: new Map<string, string>(), manifests: new Map() };
      repositories.set(place, found);
      const digest = options.digest ?? hash(`${place}:${tag} ${found.manifests.size}`);
      const platforms = (options.platforms ?? []).map((platform) => hash(`${digest} ${platform}`));
      for (const child of platforms) found.manifests.set(child, []);
      // Content that is pushed again by its digest is what it was.
      if (options.platforms !== undefined || !found.manifests.has(digest)) found.manifests.set(digest, platforms);
      found.tags.set(tag, digest);
      return digest;
    },
    moveTag(registry, repository, tag, digest) {
      const found = repositories.get(`${registry}/${repository}`);
      if (found?.manifests.has(digest) !== true) {
        throw new RangeError(`${registry}/${repository} has no ${digest}; push it first`);
      }
      found.tags.set(tag, digest);
    },
    deleteTag: (registry, repository, tag) => void repositories.get(`${registry}/${repository}`)?.tags.delete(tag),
    unreachable: (host, is) => set(refusals.unreachable, host, is),
    denied: (host, is) => set(refusals.denied, host, is),
  };
}

interface Refusals {
  readonly unreachable: Set<string>;
  readonly denied: Set<string>;
}

function refusalOf(registry: string, { unreachable, denied }: Refusals): RegistryRefusal | undefined {
  if (unreachable.has(registry)) return { kind: "unreachable", detail: `${registry} could not be reached` };
  if (denied.has(registry)) return { kind: "denied", detail: `${registry} answered 401` };
  return undefined;
}

function hash(text: string): string {
  return `sha256:${createHash("sha256").update(text).digest("hex")}`;
}

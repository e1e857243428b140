import { createHash } from "node:crypto";
import { originOf } from "#domain/image/origin";
import type { EpochMs } from "#domain/shared/time";
import { TransientError } from "#ports/errors";
import type { Registry, RepositoryName } from "#ports/registry";

type Labels = Readonly<Record<string, string>>;

/** The content of a push. Default: a new single image. */
export interface PushOptions {
  /** Pushes an index with one image for each platform, such as `linux/arm64`. */
  readonly platforms?: readonly string[];
  /** The platform in the configuration of a single image. Default: linux/amd64. */
  readonly platform?: string;
  /** The media type of an artifact, such as a Helm chart. Default: the push is an image. */
  readonly artifact?: string;
  /** The instant of the build in the configuration. Default: the configuration states none. */
  readonly createdAt?: EpochMs;
  /** The labels in the configuration of each image. Default: the configuration has none. */
  readonly labels?: Labels;
  /** The annotations of the index or the single image. Default: it has none. */
  readonly annotations?: Labels;
  /** The digest. The default is new content. */
  readonly digest?: string;
}

/** Registries that live in memory. */
export interface MemoryRegistry extends Registry {
  /** The repositories by registry and path. */
  readonly repositories: ReadonlyMap<string, MemoryRepository>;
  /**
   * Pushes an image under a tag and returns its digest.
   *
   * Each push without a digest is new content. The same pushes in the same order have the same digests.
   */
  push(registry: string, repository: string, tag: string, options?: PushOptions): string;
}

/** A repository: the digest of each tag, and the platforms' digests of each manifest. */
export interface MemoryRepository {
  readonly tags: Map<string, string>;
  readonly manifests: Map<string, readonly string[]>;
  /** The names of each index's platforms, by the digest of the index. */
  readonly offers: Map<string, readonly string[]>;
  /** The media types of artifacts, by their digests. */
  readonly artifacts: Map<string, string>;
  /** The platforms of single images, by the digests of their configurations. */
  readonly configs: Map<string, string>;
  /** The instants of builds, by the digests of configurations. */
  readonly builds: Map<string, EpochMs>;
  /** The annotations of manifests, and the labels of configurations, by their digests. */
  readonly labels: Map<string, Labels>;
}

/** Returns empty registries. The first push to a repository creates the repository. */
export function memoryRegistry(): MemoryRegistry {
  const repositories = new Map<string, MemoryRepository>();
  const ask = ({ registry, repository }: RepositoryName, signal: AbortSignal) => {
    if (signal.aborted) {
      throw new TransientError(`the caller cancelled the request to ${registry}`, { cause: signal.reason });
    }
    return repositories.get(`${registry}/${repository}`);
  };
  const tags: Registry["tags"] = async (name, signal) => {
    const found = ask(name, signal);
    return found === undefined ? { kind: "not-found" } : { kind: "tags", tags: [...found.tags.keys()] };
  };
  return {
    repositories,
    tags,
    inspect: async (name, signal) => ({ listing: await tags(name, signal) }),
    push: (registry, repository, tag, options = {}) => pushed(`${registry}/${repository}`, tag, options, repositories),
    async resolve(name, tag, signal) {
      const digest = ask(name, signal)?.tags.get(tag);
      return digest === undefined ? { kind: "not-found" } : { kind: "manifest", digest, platforms: [] };
    },
    async manifest(name, digest, signal) {
      const found = ask(name, signal);
      const platforms = found?.manifests.get(digest);
      const offers = found?.offers.get(digest);
      const artifact = found?.artifacts.get(digest);
      if (platforms === undefined) return { kind: "not-found" };
      const origin = originOf(found?.labels.get(digest));
      return {
        kind: "manifest",
        digest,
        platforms,
        ...(offers === undefined ? { config: configOf(digest) } : { offers }),
        ...(artifact === undefined ? {} : { artifact }),
        ...(origin === undefined ? {} : { origin }),
      };
    },
    answers: () => Promise.resolve({ kind: "answers" }),
    async config(name, digest, signal) {
      const found = ask(name, signal);
      if (found === undefined) return { kind: "not-found" };
      const platform = found.configs.get(digest);
      const createdAt = found.builds.get(digest);
      const origin = originOf(found.labels.get(digest));
      return platform === undefined
        ? { kind: "not-found" }
        : {
            kind: "config",
            platform,
            ...(createdAt === undefined ? {} : { createdAt }),
            ...(origin === undefined ? {} : { origin }),
          };
    },
  };
}

function pushed(place: string, tag: string, options: PushOptions, repositories: Map<string, MemoryRepository>): string {
  const found = repositories.get(place) ?? emptyRepository();
  repositories.set(place, found);
  const digest = options.digest ?? hash(`${place}:${tag} ${found.manifests.size}`);
  const platforms = (options.platforms ?? []).map((platform) => hash(`${digest} ${platform}`));
  for (const [index, child] of platforms.entries()) {
    found.manifests.set(child, []);
    found.configs.set(configOf(child), options.platforms?.[index] ?? "");
  }
  if (options.platforms === undefined) found.configs.set(configOf(digest), options.platform ?? "linux/amd64");
  // A push of known content keeps its platforms.
  if (options.platforms !== undefined || !found.manifests.has(digest)) found.manifests.set(digest, platforms);
  if (options.platforms !== undefined) found.offers.set(digest, options.platforms);
  noteArtifact(found, digest, options);
  noteBuild(found, [digest, ...platforms], options);
  noteLabels(found, [digest, ...platforms], options);
  found.tags.set(tag, digest);
  return digest;
}

function noteArtifact({ artifacts }: MemoryRepository, digest: string, { artifact }: PushOptions): void {
  if (artifact !== undefined) artifacts.set(digest, artifact);
}

function noteBuild({ builds }: MemoryRepository, digests: readonly string[], { createdAt }: PushOptions): void {
  if (createdAt !== undefined) for (const digest of digests) builds.set(configOf(digest), createdAt);
}

function noteLabels(found: MemoryRepository, digests: readonly string[], { labels, annotations }: PushOptions): void {
  const [digest = ""] = digests;
  if (annotations !== undefined) found.labels.set(digest, annotations);
  if (labels !== undefined) for (const one of digests) found.labels.set(configOf(one), labels);
}

function emptyRepository(): MemoryRepository {
  return {
    tags: new Map(),
    manifests: new Map(),
    offers: new Map(),
    artifacts: new Map(),
    configs: new Map(),
    builds: new Map(),
    labels: new Map(),
  };
}

function configOf(digest: string): string {
  return hash(`configuration of ${digest}`);
}

function hash(text: string): string {
  return `sha256:${createHash("sha256").update(text).digest("hex")}`;
}

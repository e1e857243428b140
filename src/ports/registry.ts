/** Names a repository of a registry: `{ registry: "docker.io", repository: "library/nginx" }`. */
export interface RepositoryName {
  readonly registry: string;
  readonly repository: string;
}

/** The registry could not be asked, or would not answer. `detail` names the host and what happened, never a credential or a body. */
export type RegistryRefusal =
  | { readonly kind: "unreachable"; readonly detail: string; readonly retryAfterMs?: number }
  /** 401 or 403 after the token challenge. */
  | { readonly kind: "denied"; readonly detail: string };

/** The tags of a repository. */
export type TagListing =
  { readonly kind: "tags"; readonly tags: readonly string[] } | { readonly kind: "not-found" } | RegistryRefusal;

/** What a tag or a digest names in a repository. */
export type ManifestRead =
  | {
      readonly kind: "manifest";
      readonly digest: string;
      /** Digests of the platform manifests of an image index, in its order; empty for a single image. */
      readonly platforms: readonly string[];
    }
  | { readonly kind: "not-found" }
  | RegistryRefusal;

/** All registries: the adapter chooses the way to a host and its credential. A credential goes to no host but the one it is bound to. */
export interface Registry {
  /**
   * Lists every tag of a repository. Order is the registry's own and not meaningful. A listing that stopped early is a refusal, never a shorter list.
   * @see https://github.com/opencontainers/distribution-spec/blob/main/spec.md#listing-tags
   */
  tags(name: RepositoryName, signal: AbortSignal): Promise<TagListing>;

  /**
   * Answers the digest that a tag names now, by one HEAD request; `platforms` is empty, whatever it is.
   * @see https://github.com/opencontainers/distribution-spec/blob/main/spec.md#pulling-manifests
   */
  resolve(name: RepositoryName, tag: string, signal: AbortSignal): Promise<ManifestRead>;

  /** Reads a manifest by its digest, with the platforms of an index. The content must hash to the digest, else it is a refusal. */
  manifest(name: RepositoryName, digest: string, signal: AbortSignal): Promise<ManifestRead>;
}

import type { RegistryAnswer } from "#domain/registry/pauses";
import type { ImageOrigin } from "#domain/image/origin";
import type { Reason } from "#domain/shared/reasons";
import type { DurationMs, EpochMs } from "#domain/shared/time";
import type { Spending } from "./spending.ts";

/** The name of a repository: `{ registry: "docker.io", repository: "library/nginx" }`. */
export interface RepositoryName {
  readonly registry: string;
  readonly repository: string;
}

/** The reason why Lookout does not ask a registry now, does not trust it, or failed itself. */
type UnreachableReason =
  | "registry-throttled"
  | "registry-circuit-open"
  | "registry-not-trusted"
  | "registry-not-asked"
  | "over-budget"
  | "evaluation-failed";

/**
 * The registry did not answer, or denied access. `detail` names the host and the error, never a
 * credential or a body.
 */
export type RegistryRefusal =
  | {
      readonly kind: "unreachable";
      readonly detail: string;
      readonly retryAfterMs?: number;
      /**
       * True after no connection, no answer in time, 408 or 5xx. Other faults concern one
       * repository, not its registry, and a limit is no outage.
       */
      readonly isOutage?: true;
      /**
       * The status of the answer, which may concern this repository alone. Absent if no answer
       * arrived.
       */
      readonly status?: number;
      /** The reason of the failure. The default is `registry-unreachable`. */
      readonly reason?: UnreachableReason;
      /**
       * The end of the pause that the registry asked for. Absent if there is no pause, or if an
       * adapter sent the request without the limits of all processes.
       */
      readonly until?: EpochMs;
    }
  /** 401 or 403 after the token challenge. */
  | { readonly kind: "denied"; readonly detail: string }
  /** `lookout.yaml` does not allow the request. `detail` names the key that would allow it. */
  | { readonly kind: "not-allowed"; readonly detail: string };

/** The reason of each refusal. */
export const registryReasons = {
  unreachable: "registry-unreachable",
  denied: "registry-denied",
  "not-allowed": "registry-not-allowed",
} as const satisfies Readonly<Record<RegistryRefusal["kind"], Reason>>;

/** A reason of {@link registryReasons}, or a more exact reason. */
export type RegistryReason = (typeof registryReasons)[RegistryRefusal["kind"]] | UnreachableReason;

/** The members that every answer may have. */
interface RegistryPause {
  /** The time for which the registry allows no more requests, by its ratelimit headers. */
  readonly pauseMs?: number;
}

/** The tags of a repository. */
export type TagListing = RegistryPause &
  ({ readonly kind: "tags"; readonly tags: readonly string[] } | { readonly kind: "not-found" } | RegistryRefusal);

/** The manifest of a tag or a digest. */
export type ManifestRead = RegistryPause &
  (
    | {
        readonly kind: "manifest";
        readonly digest: string;
        /**
         * The digests of the platform manifests of an image index, in its order; empty for a single
         * image.
         */
        readonly platforms: readonly string[];
        /**
         * The platforms that an index names, as `os/architecture[/variant]`, each once; absent for
         * a single image.
         */
        readonly offers?: readonly string[];
        /**
         * The digest of a single image's configuration; absent for an index, and after {@link
         * Registry.resolve}.
         */
        readonly config?: string;
        /**
         * The media type that shows that no container runtime can run the manifest, such as the
         * type of a Helm chart. Absent for an image, and after {@link Registry.resolve}.
         */
        readonly artifact?: string;
        /**
         * The origin that the annotations state. Absent without one, and after {@link
         * Registry.resolve}.
         */
        readonly origin?: ImageOrigin;
      }
    | { readonly kind: "not-found" }
    | RegistryRefusal
  );

/** The configuration of a single image. */
export type ConfigRead = RegistryPause &
  (
    | {
        readonly kind: "config";
        /** `os/architecture[/variant]`. Absent if the configuration names no platform. */
        readonly platform?: string;
        /** The instant of the build. Absent if the configuration states none, or a fixed one. */
        readonly createdAt?: EpochMs;
        /** The origin that the labels state. Absent without one. */
        readonly origin?: ImageOrigin;
      }
    | { readonly kind: "not-found" }
    | RegistryRefusal
  );

/** The limit that a registry states in the headers of an answer. */
export interface StatedLimit {
  readonly limit?: number;
  readonly remaining?: number;
  /** The time until the limit is reset. */
  readonly resetMs?: DurationMs;
}

/** The facts about a registry that one listing of tags shows. */
export interface RegistryInspection {
  readonly listing: TagListing;
  /**
   * The state of the registry by its last answer. Absent if there is no answer, or if the adapter
   * can't see the answer.
   */
  readonly answer?: {
    readonly scheme: "http" | "https";
    readonly statedLimit: StatedLimit;
    /** The registry's clock. Absent if the registry did not send its time. */
    readonly serverTime?: EpochMs;
  };
  /** The source of the used credential, for users. Absent if there is no credential. */
  readonly credentialFrom?: string;
}

/** Returns the reason why a listing may not request its next page, or undefined if it may. */
export type BeforePage = () => Promise<RegistryRefusal | undefined>;

/** What a request may use, and what it must ask before. */
export interface Asking {
  /** Called before each further page of a listing. A refusal ends the listing. */
  readonly beforePage?: BeforePage;
  /** The spending of the run. Absent if nothing limits the run. */
  readonly spending?: Spending;
  /**
   * The time limit of an answer that the caller can do without. The request does not wait for a
   * limit of Lookout, and its failure is no sign of an outage. Absent if the caller needs the answer.
   */
  readonly spareWithin?: DurationMs;
}

/**
 * All registries. The adapter chooses the protocol and the credential, and sends a credential only
 * to its own host.
 */
export interface Registry {
  /**
   * Lists all tags of a repository, in no order. If the listing is incomplete, the method returns a
   * refusal, never a shorter list.
   *
   * @see https://github.com/opencontainers/distribution-spec/blob/main/spec.md#listing-tags
   */
  tags(name: RepositoryName, signal: AbortSignal, asking?: Asking): Promise<TagListing>;

  /**
   * Lists the tags of a repository as {@link Registry.tags} does, and returns the findings about
   * the registry.
   */
  inspect(name: RepositoryName, signal: AbortSignal, asking?: Asking): Promise<RegistryInspection>;

  /**
   * Returns the present digest of a tag, with one HEAD request. After a refused HEAD, or a HEAD
   * without a digest, the method sends a GET. `platforms` is always empty.
   *
   * @see https://github.com/opencontainers/distribution-spec/blob/main/spec.md#pulling-manifests
   */
  resolve(name: RepositoryName, tag: string, signal: AbortSignal, asking?: Asking): Promise<ManifestRead>;

  /**
   * Reads the manifest of a digest, with the platforms of an index. The answer for a chart or
   * another artifact has `artifact`. If the content has another digest, the method returns a refusal.
   */
  manifest(name: RepositoryName, digest: string, signal: AbortSignal, asking?: Asking): Promise<ManifestRead>;

  /**
   * Returns whether the registry itself answers, even if requests for the repository fail, and
   * whether it allows no more requests. Returns `no-answer` too if the adapter can't find out.
   */
  answers(name: RepositoryName, signal: AbortSignal): Promise<RegistryAnswer>;

  /**
   * Reads the configuration of a single image by its digest, up to 1 MiB. If the content has
   * another digest, the method returns a refusal.
   */
  config(name: RepositoryName, digest: string, signal: AbortSignal, asking?: Asking): Promise<ConfigRead>;
}

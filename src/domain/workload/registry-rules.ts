import type { ImageReference } from "../image/reference.ts";
import { entriesOf } from "../registry/host.ts";
import { didYouMean, nearest } from "../shared/nearest.ts";
import type { LimitedEntry } from "../registry/rules.ts";
import type { WorkloadName } from "./workload.ts";

/**
 * An entry of `registries` in `lookout.yaml`: the repositories that it serves, and the namespaces
 * that may use it.
 */
export interface RegistryEntry extends LimitedEntry {
  readonly name: string;
  /**
   * Prefixes of repository paths. A prefix matches whole components of a path. The default is all
   * repositories of the host.
   */
  readonly repositories?: readonly string[];
  /** `NAMESPACE`, `CLUSTER/NAMESPACE` or `CLUSTER/*`. The default is all namespaces. */
  readonly namespaces?: readonly string[];
  /** True if the registry may have private addresses. */
  readonly allowPrivateNetwork?: boolean;
  /** The file or parameter with further certificate authorities. */
  readonly caFile?: string;
  readonly caParameter?: string;
  /** The places of the password, and the role that reads ECR. */
  readonly passwordEnv?: string;
  readonly passwordFile?: string;
  readonly passwordParameter?: string;
  readonly passwordId?: string;
  readonly roleArn?: string;
}

/** The members of an entry that name the source of its credential. */
const credentialKeys = ["passwordEnv", "passwordFile", "passwordParameter", "passwordId", "roleArn"] as const;

/**
 * The sources of a credential. `default`: no entry names a source, so Lookout uses Docker's login,
 * and the AWS credentials for ECR.
 */
export const credentialSources = [...credentialKeys, "default"] as const;

/** One of {@link credentialSources}. */
export type CredentialSourceKind = (typeof credentialSources)[number];

/** The rules of `lookout.yaml` about registries. */
export interface RegistryRules {
  readonly registryPolicy: "any" | "listed";
  readonly registries: readonly RegistryEntry[];
}

type Repository = Pick<ImageReference, "registry" | "repository">;

/**
 * Returns the entry that serves a repository: the entry of its host with the longest matching
 * prefix. Returns undefined if no entry serves the repository.
 */
export function servingEntry<Entry extends Pick<RegistryEntry, "host" | "repositories">>(
  entries: readonly Entry[],
  { registry, repository }: Repository,
): Entry | undefined {
  const serving = entriesOf(entries, registry).flatMap((entry) =>
    (entry.repositories ?? [""])
      .filter((prefix) => prefix === "" || `${repository}/`.startsWith(`${prefix}/`))
      .map(({ length }) => ({ entry, length })),
  );
  return serving.toSorted((one, other) => other.length - one.length)[0]?.entry;
}

/**
 * Returns why a workload may not use a repository, with the key of `lookout.yaml`. Returns
 * undefined if the workload may use the repository.
 */
export function whyNotAllowed(
  { registryPolicy, registries }: RegistryRules,
  name: Repository,
  workload: WorkloadName,
): string | undefined {
  const entry = servingEntry(registries, name);
  if (entry === undefined && registryPolicy === "any") return undefined;
  if (entry === undefined) {
    const [other] = entriesOf(registries, name.registry);
    return other === undefined
      ? `registryPolicy is listed, and registries has no entry for ${name.registry}`
      : `registryPolicy is listed, and repositories of the entry ${other.name} does not include ${name.repository}`;
  }
  return mayUse(entry, workload)
    ? undefined
    : `namespaces of the entry ${entry.name} does not include ${placeOf(workload)}`;
}

/**
 * Returns why the entry that `lookout.dev/registry` names does not serve a repository, or undefined
 * if the entry serves it. The text hides the names and hosts of other namespaces' entries.
 */
export function whyOtherRegistry(
  { registries }: RegistryRules,
  named: string,
  name: Repository,
  workload: WorkloadName,
): string | undefined {
  const own = registries.filter((entry) => mayUse(entry, workload));
  const entry = own.find((one) => one.name === named);
  if (entry === undefined) {
    const names = own.map((one) => one.name);
    return `registries has no entry ${named} for ${placeOf(workload)}${didYouMean(nearest(named, names))}`;
  }
  if (servingEntry([entry], name) !== undefined) return undefined;
  return entriesOf([entry], name.registry).length === 0
    ? `the entry ${named} is ${entry.host}, but the image is from ${name.registry}`
    : `repositories of the entry ${named} does not include ${name.repository}`;
}

function mayUse({ namespaces }: RegistryEntry, { cluster, namespace }: WorkloadName): boolean {
  const allowed = [namespace, `${cluster}/${namespace}`, `${cluster}/*`];
  return namespaces?.some((pattern) => allowed.includes(pattern)) ?? true;
}

function placeOf({ cluster, namespace }: WorkloadName): string {
  return `${cluster}/${namespace}`;
}

/** Returns the source of an entry's credential. For a registry without an entry, pass undefined. */
export function credentialSourceOf(entry: RegistryEntry | undefined): CredentialSourceKind {
  return credentialKeys.find((key) => entry?.[key] !== undefined) ?? "default";
}

import { parseEcrHost } from "#adapters/ecr/host";
import { ecrRegistry } from "#adapters/ecr/registry";
import type { CredentialSource } from "#adapters/oci/credentials";
import { ociRegistry } from "#adapters/oci/registry";
import { assumedRole } from "#adapters/sts/assumed-role";
import { ownCredentials } from "#adapters/sts/own-credentials";
import type { RegistryConfiguration } from "#contracts/configuration";
import type { Registry, RepositoryName } from "#ports/registry";

/** How the registries are reached. */
export interface RegistriesOptions {
  /** Those of `lookout.yaml`. */
  readonly configured: readonly RegistryConfiguration[];
  /** The credentials of all but ECR. */
  readonly credentials: CredentialSource;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Reaches any registry: the private ones of ECR by its API, unless `lookout.yaml` has a user or an endpoint for them, all others by the
 * OCI distribution protocol.
 */
export function openRegistries({ configured, credentials, environment }: RegistriesOptions): Registry {
  const hosts = configured.map(
    ({ host, plainHttp, endpoint, tokenHosts }) => [host, { plainHttp, endpoint, tokenHosts }] as const,
  );
  const oci = ociRegistry({ credentials, hosts: Object.fromEntries(hosts) });
  const ecr = ecrOf(configured, environment);
  const otherwise = new Set(
    configured.filter(({ username, endpoint }) => (username ?? endpoint) !== undefined).map(({ host }) => host),
  );
  const registryOf = ({ registry }: RepositoryName): Registry =>
    parseEcrHost(registry) !== undefined && !otherwise.has(registry) ? ecr : oci;
  return {
    tags: (name, signal) => registryOf(name).tags(name, signal),
    resolve: (name, tag, signal) => registryOf(name).resolve(name, tag, signal),
    manifest: (name, digest, signal) => registryOf(name).manifest(name, digest, signal),
  };
}

function ecrOf(configured: RegistriesOptions["configured"], environment: RegistriesOptions["environment"]): Registry {
  const own = ownCredentials();
  const roles = new Map(configured.map(({ host, roleArn }) => [host, roleArn]));
  return ecrRegistry({
    credentials: (host) => {
      const roleArn = roles.get(host);
      const region = environment["AWS_REGION"] ?? parseEcrHost(host)?.region ?? "";
      return roleArn === undefined ? own : assumedRole({ roleArn, region, by: own });
    },
  });
}

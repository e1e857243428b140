import { parseEcrHost } from "#adapters/ecr/host";
import type { CredentialSource } from "#adapters/oci/credentials";
import type { CredentialProvider } from "#adapters/shared/aws";
import type { AssumedRole } from "#adapters/sts/assumed-role";
import { ownCredentials } from "#adapters/sts/own-credentials";
import type { RegistryConfiguration } from "#contracts/config/configuration";
import type { Registry, RepositoryName } from "#ports/registry";

interface RegistriesOptions {
  /** The registries of `lookout.yaml`. */
  readonly configured: readonly RegistryConfiguration[];
  /** The credentials for all registries but ECR. */
  readonly credentials: CredentialSource;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Returns one client for all registries. Private ECR registries use ECR's API, unless
 * `lookout.yaml` gives them a user or an endpoint. All others use the OCI distribution protocol.
 */
export function openRegistries({ configured, credentials, environment }: RegistriesOptions): Registry {
  const oci = ociOf(configured, credentials);
  const ecr = ecrOf(configured, environment);
  const otherwise = new Set(
    configured.filter(({ username, endpoint }) => (username ?? endpoint) !== undefined).map(({ host }) => host),
  );
  const registryOf = async ({ registry }: RepositoryName): Promise<Registry> =>
    parseEcrHost(registry) !== undefined && !otherwise.has(registry) ? ecr() : oci();
  return {
    tags: async (name, signal) => (await registryOf(name)).tags(name, signal),
    resolve: async (name, tag, signal) => (await registryOf(name)).resolve(name, tag, signal),
    manifest: async (name, digest, signal) => (await registryOf(name)).manifest(name, digest, signal),
  };
}

/**
 * Loads the OCI client with the first image that needs it: the client doubles the start-up time.
 */
function ociOf(configured: RegistriesOptions["configured"], credentials: CredentialSource): () => Promise<Registry> {
  const hosts = configured.map(
    ({ host, insecure, endpoint, tokenHosts }) => [host, { insecure, endpoint, tokenHosts }] as const,
  );
  let opened: Registry | undefined;
  return async () => {
    const { ociRegistry } = await import("#adapters/oci/registry");
    opened ??= ociRegistry({ credentials, hosts: Object.fromEntries(hosts) });
    return opened;
  };
}

/** Loads the ECR client with its first image. */
function ecrOf(
  configured: RegistriesOptions["configured"],
  environment: RegistriesOptions["environment"],
): () => Promise<Registry> {
  const own = ownCredentials();
  const roles = new Map(configured.map(({ host, roleArn }) => [host, roleArn]));
  const credentials = (host: string): CredentialProvider => {
    const roleArn = roles.get(host);
    const region = environment["AWS_REGION"] ?? parseEcrHost(host)?.region ?? "";
    return roleArn === undefined ? own : assumed({ roleArn, region, by: own });
  };
  let opened: Registry | undefined;
  return async () => {
    const { ecrRegistry } = await import("#adapters/ecr/registry");
    opened ??= ecrRegistry({ credentials });
    return opened;
  };
}

/** Loads the STS client only for registries with their own role. */
function assumed(role: AssumedRole): CredentialProvider {
  let credentials: CredentialProvider | undefined;
  return async () => {
    const { assumedRole } = await import("#adapters/sts/assumed-role");
    credentials ??= assumedRole(role);
    return credentials();
  };
}

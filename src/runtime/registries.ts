import { parseEcrHost } from "#domain/registry/ecr-host";
import { configuredCredentials, type CredentialSource, firstCredential } from "#adapters/oci/credentials";
import type { CredentialProvider } from "#adapters/shared/aws";
import type { AssumedRole } from "#adapters/sts/assumed-role";
import { ownCredentials } from "#adapters/sts/own-credentials";
import type { Configuration } from "#contracts/config/configuration";
import { type ConfiguredSecret, registryCa, registryPassword, secretOf } from "#contracts/config/secret-places";
import { entriesOf } from "#domain/registry/host";
import { servingEntry } from "#domain/workload/registry-rules";
import { PermanentError } from "#ports/errors";
import type { Asking, Registry, RepositoryName } from "#ports/registry";
import type { SecretRead } from "#ports/secrets";

interface RegistriesOptions {
  readonly configuration: Pick<Configuration, "registries" | "registryPolicy">;
  /** Reads a password, or certificate authorities. */
  readonly readSecret: (secret: ConfiguredSecret) => Promise<SecretRead>;
  /** The credentials for registries without one in `lookout.yaml`, except ECR. The default is none. */
  readonly otherCredentials?: CredentialSource;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /**
   * The ARN of the role that assumes the `roleArn` of registries. Absent if the process's own
   * credentials assume them.
   */
  readonly registryRole?: string | undefined;
}

/**
 * Returns one client for all registries. For a private ECR registry, the client uses ECR's API,
 * unless `lookout.yaml` sets a user or an endpoint. For other registries, the client uses the OCI
 * distribution protocol.
 *
 * For a repository that `lookout.yaml` excludes, the client answers `not-allowed`.
 */
export function openRegistries(options: RegistriesOptions): Registry {
  const { registries, registryPolicy } = options.configuration;
  const oci = ociOf(options);
  const ecr = ecrOf(options);
  const registryOf = async (name: RepositoryName): Promise<Registry> => {
    const entry = servingEntry(registries, name);
    const isEcr = parseEcrHost(name.registry) !== undefined && (entry?.username ?? entry?.endpoint) === undefined;
    // ECR refuses anonymous requests. So if an ECR host has entries, Lookout reads only the
    // repositories of these entries.
    const isListed = registryPolicy === "listed" || (isEcr && entriesOf(registries, name.registry).length > 0);
    if (entry === undefined && isListed)
      return refusing(`no entry of ${name.registry} in lookout.yaml serves ${name.repository}`);
    return isEcr ? ecr(entry?.roleArn) : oci();
  };
  return {
    tags: async (name, ...asked) => (await registryOf(name)).tags(name, ...asked),
    inspect: async (name, ...asked) => (await registryOf(name)).inspect(name, ...asked),
    resolve: async (name, ...asked) => (await registryOf(name)).resolve(name, ...asked),
    manifest: async (name, digest, signal, asking) =>
      (await registryOf(name)).manifest(name, digest, within(signal, asking), asking),
    config: async (name, digest, signal, asking) =>
      (await registryOf(name)).config(name, digest, within(signal, asking), asking),
    answers: async (name, signal) => (await registryOf(name)).answers(name, signal),
  };
}

/** Returns a signal that also ends a request whose answer the caller can do without. */
function within(signal: AbortSignal, { spareWithin }: Asking = {}): AbortSignal {
  return spareWithin === undefined ? signal : AbortSignal.any([signal, AbortSignal.timeout(spareWithin)]);
}

function refusing(detail: string): Registry {
  const refuse = () => Promise.resolve({ kind: "not-allowed", detail } as const);
  const inspect = async () => ({ listing: await refuse() });
  const answers = () => Promise.resolve({ kind: "no-answer" } as const);
  return { tags: refuse, inspect, resolve: refuse, manifest: refuse, config: refuse, answers };
}

/**
 * Returns a function that loads the OCI client lazily, because the client doubles the start-up
 * time.
 */
function ociOf({ configuration, readSecret, otherCredentials }: RegistriesOptions): () => Promise<Registry> {
  const inFile = configuredCredentials(configuration.registries, (entry) =>
    readSecret(secretOf(registryPassword, entry)),
  );
  const credentials = otherCredentials === undefined ? inFile : firstCredential(inFile, otherCredentials);
  const registries = configuration.registries.map((entry) => {
    const ca = secretOf(registryCa, entry);
    return ca.ref === undefined ? entry : { ...entry, ca: () => contentOf(ca, readSecret) };
  });
  let opened: Registry | undefined;
  return async () => {
    const { ociRegistry } = await import("#adapters/oci/registry");
    opened ??= ociRegistry({ credentials, registries });
    return opened;
  };
}

async function contentOf(secret: ConfiguredSecret, readSecret: RegistriesOptions["readSecret"]): Promise<string> {
  const read = await readSecret(secret);
  if (read.kind === "secret") return read.value;
  throw new PermanentError(`${read.why}; its content must be ${secret.field.content} ${secret.owner}`);
}

/** Returns a function that loads the ECR client lazily. Each role has its own client. */
function ecrOf({
  environment,
  registryRole,
}: Pick<RegistriesOptions, "environment" | "registryRole">): (roleArn: string | undefined) => Promise<Registry> {
  const own = ownCredentials();
  const opened = new Map<string | undefined, Registry>();
  const visitors = new Map<string, CredentialProvider>();
  /** Returns the credentials that assume the roles of registries. All these roles share a session. */
  const visitor = (region: string): CredentialProvider => {
    if (registryRole === undefined) return own;
    const taken = visitors.get(region) ?? assumed({ roleArn: registryRole, region, by: own });
    visitors.set(region, taken);
    return taken;
  };
  return async (roleArn) => {
    const { ecrRegistry } = await import("#adapters/ecr/registry");
    const credentials = (host: string): CredentialProvider => {
      const region = environment["AWS_REGION"] ?? parseEcrHost(host)?.region ?? "";
      return roleArn === undefined ? own : assumed({ roleArn, region, by: visitor(region) });
    };
    const registry = opened.get(roleArn) ?? ecrRegistry({ credentials });
    opened.set(roleArn, registry);
    return registry;
  };
}

/** Returns the credentials of a role. The STS client is loaded lazily. */
function assumed(role: AssumedRole): CredentialProvider {
  let credentials: CredentialProvider | undefined;
  return async () => {
    const { assumedRole } = await import("#adapters/sts/assumed-role");
    credentials ??= assumedRole(role);
    return credentials();
  };
}

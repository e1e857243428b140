/**
 * The keys of an `ImageRegistry` of the Lookout Operator that an entry of `registries` does not
 * have, each with what to do instead.
 */
const imageRegistryKeys: Readonly<Record<string, string>> = {
  apiVersion: "write the members of spec as keys of the entry",
  kind: "write the members of spec as keys of the entry",
  metadata: "write metadata.name as name",
  spec: "write its members as keys of the entry",
  status: "remove it: lookout registry list shows the state",
  type: "remove it: the host shows the kind of a registry",
  ecr: "write the host with its account and region: ACCOUNT.dkr.ecr.REGION.amazonaws.com",
  harbor: "write the host of its url as host, and its project as one of repositories",
  dockerHub: "write docker.io as host, and its organization as one of repositories",
  gcr: "write the host of its images as host, and its project as one of repositories",
  acr: "write REGISTRYNAME.azurecr.io as host",
  generic: "write the host of its url as host",
  auth: "write username with passwordEnv, passwordFile, passwordParameter or passwordId, or roleArn for ECR",
  tls: "write caFile or caParameter for its authority; no key skips the check of a certificate",
  "circuitBreaker.successThreshold": "remove it: the first answer ends the pause",
  "scan.tagLimit": "remove it: Lookout reads all tags",
  "scan.sortBy": "remove it: lookout.dev/policy of a workload sorts its tags",
};

/**
 * Returns what to do about a key of an `ImageRegistry` in an entry of `registries`. Returns undefined
 * for any other key or place.
 *
 * @param parent - the path of the key's parent.
 */
export function imageRegistryAdvice(parent: readonly (string | number)[], key: string): string | undefined {
  const [section, entry, ...inner] = parent;
  if (section !== "registries" || typeof entry !== "number") return undefined;
  const path = [...inner, key].join(".");
  return Object.hasOwn(imageRegistryKeys, path) ? imageRegistryKeys[path] : undefined;
}

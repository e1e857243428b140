/** The location of a private ECR registry, read from its host. */
export interface EcrHost {
  readonly account: string;
  readonly region: string;
  readonly fips: boolean;
  readonly dualStack: boolean;
}

/** The domains of all partitions: of ECR's original hosts, then of its dual-stack hosts. */
const domains =
  "amazonaws\\.com(?:\\.cn)?|amazonaws\\.eu|c2s\\.ic\\.gov|sc2s\\.sgov\\.gov|csp\\.hci\\.ic\\.gov|cloud\\.adc-e\\.uk";
const dualStackDomains =
  "on\\.aws(?:\\.ic\\.gov|\\.scloud|\\.hci\\.ic\\.gov)?|on\\.amazonwebservices\\.(?:com\\.cn|eu)|on\\.cloud-aws\\.adc-e\\.uk";
const host = new RegExp(
  `^(\\d{12})\\.dkr(?:\\.ecr(-fips)?\\.([a-z0-9-]+)\\.(?:${domains})|-ecr(-fips)?\\.([a-z0-9-]+)\\.(?:${dualStackDomains}))(?::0*443)?$`,
);

/**
 * Returns the domain of a region's endpoints.
 *
 * @see https://docs.aws.amazon.com/whitepapers/latest/aws-fault-isolation-boundaries/partitions.html
 */
export function domainOf(region: string): string {
  const [, domain] = domainsOfRegions.find(([prefix]) => region.startsWith(prefix)) ?? [];
  return domain ?? "amazonaws.com";
}

const domainsOfRegions = [
  ["cn-", "amazonaws.com.cn"],
  ["eusc-", "amazonaws.eu"],
  ["us-iso-", "c2s.ic.gov"],
  ["us-isob-", "sc2s.sgov.gov"],
  ["us-isof-", "csp.hci.ic.gov"],
  ["eu-isoe-", "cloud.adc-e.uk"],
] as const;

/** Returns the canonical host of a private ECR registry, for any of its hosts. */
export function ecrHostOf({ account, region }: EcrHost): string {
  return `${account}.dkr.ecr.${region}.${domainOf(region)}`;
}

/**
 * Parses the host of a private ECR registry; undefined for any other host, also `public.ecr.aws`.
 * The port may be 443.
 *
 * @see https://docs.aws.amazon.com/general/latest/gr/ecr.html
 */
export function parseEcrHost(registry: string): EcrHost | undefined {
  const [, account, fips, region, dualStackFips, dualStackRegion] = host.exec(registry.toLowerCase()) ?? [];
  const where = region ?? dualStackRegion;
  if (account === undefined || where === undefined) return undefined;
  return {
    account,
    region: where,
    fips: (fips ?? dualStackFips) !== undefined,
    dualStack: dualStackRegion !== undefined,
  };
}

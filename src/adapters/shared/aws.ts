/** What proves to AWS who asks. */
export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly expiration?: Date;
}

/** Answers credentials that are good now; asked for each request. Rejects as the SDK does. */
export type CredentialProvider = () => Promise<AwsCredentials>;

/** How long requests to AWS may take: one second to connect, five for an answer, three attempts. */
export const awsClientOptions = {
  maxAttempts: 3,
  // Without `throwOnRequestTimeout` a request that takes too long is logged and goes on for ever.
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 5_000, throwOnRequestTimeout: true },
} as const;

/** The same for whoever waits for a command: they would rather read that AWS does not answer. */
export const callerPatience = {
  maxAttempts: 2,
  requestHandler: { connectionTimeout: 3_000, requestTimeout: 10_000, throwOnRequestTimeout: true },
} as const;

/** As whom, and where, a command asks for a person. */
export interface CallerOptions {
  readonly credentials: CredentialProvider;
  readonly region: string;
}

/** Answers the domain that a region's endpoints are under. @see https://docs.aws.amazon.com/whitepapers/latest/aws-fault-isolation-boundaries/partitions.html */
export function domainOf(region: string): string {
  const [, domain] = domains.find(([prefix]) => region.startsWith(prefix)) ?? [];
  return domain ?? "amazonaws.com";
}

const domains = [
  ["cn-", "amazonaws.com.cn"],
  ["us-iso-", "c2s.ic.gov"],
  ["us-isob-", "sc2s.sgov.gov"],
  ["us-isof-", "csp.hci.ic.gov"],
  ["eu-isoe-", "cloud.adc-e.uk"],
] as const;

/**
 * Sends a signed GET request to a service of AWS, and returns the text of its answer. Rejects as
 * the SDK does: with the error code of AWS as name, or with the code of the connection.
 */
export type AwsGet = (url: string) => Promise<string>;

/** The host of a service, and the region of its signatures. */
export interface AwsHost {
  readonly url: string;
  readonly region: string;
}

/**
 * The partitions by the beginning of their regions. IAM has one endpoint for each.
 *
 * @see https://docs.aws.amazon.com/general/latest/gr/iam-service.html
 */
const partitions = [
  { regions: "cn-", suffix: "amazonaws.com.cn", iam: ["iam.cn-north-1.amazonaws.com.cn", "cn-north-1"] },
  { regions: "us-gov-", suffix: "amazonaws.com", iam: ["iam.us-gov.amazonaws.com", "us-gov-west-1"] },
  { regions: "", suffix: "amazonaws.com", iam: ["iam.amazonaws.com", "us-east-1"] },
] as const;

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the host of a service in a region, or the host that the environment names. */
export function awsHost(service: "iam" | "lambda", region: string, environment: Environment): AwsHost {
  const named = [environment[`AWS_ENDPOINT_URL_${service.toUpperCase()}`], environment["AWS_ENDPOINT_URL"]].find(
    (text) => text !== undefined && text !== "",
  );
  const { suffix, iam } = partitions.find(({ regions }) => region.startsWith(regions)) ?? partitions[2];
  const [host, signed] = service === "iam" ? iam : [`lambda.${region}.${suffix}`, region];
  return { url: (named ?? `https://${host}`).replace(/\/+$/, ""), region: signed };
}

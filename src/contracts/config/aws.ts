import * as z from "zod";
import { awsPatterns } from "./aws-patterns.ts";
import { someText } from "./fields.ts";

/**
 * The schema of an AWS account id. YAML reads an unquoted id as a number, without leading zeros.
 */
export const accountId = z
  .string('an account id of twelve digits in quotes, such as "123456789012"')
  .regex(/^\d{12}$/, "an account id of twelve digits");

const region = z
  .string('a region, such as "eu-central-1"')
  .regex(awsPatterns.region, 'a region, such as "eu-central-1"');

const aRole = 'the ARN of a role, such as "arn:aws:iam::123456789012:role/lookout"';
/** The schema of the ARN of a role in any account. */
export const roleArn = z.string(aRole).regex(awsPatterns.role, aRole);

const anEndpoint = "the https:// address of an API server";

const clusterName = "the name of an EKS cluster: at most 100 letters, digits, dashes and underscores";

/** Returns the schema of an EC2 id: `subnet-0a1b2c3d4e5f6a7b8`. */
const ec2Id = (prefix: "vpc" | "subnet" | "sg") => {
  const expected = `an id of ${prefix}- and 8 to 17 hexadecimal digits`;
  return z.string(expected).regex(new RegExp(`^${prefix}-[0-9a-f]{8,17}$`), expected);
};

const eksNames = {
  name: z.string(clusterName).regex(awsPatterns.eksCluster, clusterName).describe("The name of the cluster in EKS."),
  region: region.exactOptional().describe("The cluster's region. Default: the region of the stack, else AWS_REGION."),
  roleArn: roleArn
    .exactOptional()
    .describe(
      "The role that has access to the cluster. Default: the stack's access role. A local Lookout uses the user's credentials.",
    ),
};

/**
 * The schema of a registered EKS cluster. A registration has no address, because a forged address
 * would receive Lookout's token.
 */
export const RegisteredEks = z
  .strictObject(eksNames, {
    error: ({ code }) =>
      code === "unrecognized_keys"
        ? "only name, region and roleArn; Lookout reads the address from EKS"
        : "an EKS cluster with a name",
  })
  .readonly();

const noEntry = "false, or no accessEntry: by default, the stack creates the access entry";

/** The schema of the EKS cluster in an entry of `clusters`. */
export const Eks = z
  .strictObject(
    {
      ...eksNames,
      accessEntry: z
        .literal(false, noEntry)
        .exactOptional()
        .describe(
          "false: the stack creates no access entry in the cluster. For clusters with aws-auth, and for clusters with an access entry for Lookout's role. A local Lookout ignores the key.",
        ),
      endpoint: z
        .url({ protocol: /^https$/, error: anEndpoint })
        .exactOptional()
        .describe("The address of the cluster's API server. Default: Lookout reads the address from EKS."),
      certificateAuthority: z
        .base64({ error: "the certificate authority in base64, as EKS shows it" })
        .min(1, "the certificate authority in base64, as EKS shows it")
        .exactOptional()
        .describe("The certificate authority of the API server, in base64. Default: Lookout reads it from EKS."),
    },
    "an EKS cluster with a name",
  )
  .refine(
    ({ endpoint, certificateAuthority }) => (endpoint === undefined) === (certificateAuthority === undefined),
    "needs endpoint and certificateAuthority together, or none of them: Lookout then reads both from EKS",
  )
  .meta({
    dependentRequired: { endpoint: ["certificateAuthority"], certificateAuthority: ["endpoint"] },
  })
  .readonly();

/** The account and region of a stack. Undefined members are unknown before the deployment. */
export interface Home {
  readonly account?: string | undefined;
  readonly region?: string | undefined;
}

/**
 * Returns a text that is equal for two entries of the same EKS cluster. A name, an account and a
 * region identify an EKS cluster. The account of `roleArn` is the cluster's account.
 */
export function eksKey(eks: Readonly<Record<string, unknown>>, { account, region }: Home = {}): string {
  const { roleArn: role } = eks;
  return JSON.stringify([
    eks["name"],
    eks["region"] ?? region,
    typeof role === "string" ? role.split(":")[4] : account,
  ]);
}

/**
 * The schema of the network of a cluster without a public endpoint. The cluster's functions run in
 * this network.
 */
export const Network = z
  .strictObject(
    {
      vpc: ec2Id("vpc").describe("The VPC with access to the API server."),
      subnets: z
        .array(ec2Id("subnet"), "a list of subnets")
        .min(1, "at least one subnet")
        .readonly()
        .describe("The subnets of the functions. Each subnet needs a route to the services of AWS."),
      securityGroups: z
        .array(ec2Id("sg"), "a list of security groups")
        .min(1, "at least one security group")
        .readonly()
        .exactOptional()
        .describe("The functions' security groups. Default: a new one that allows all outbound traffic."),
    },
    "a network with vpc and subnets",
  )
  .readonly();

/**
 * The schema of the name or ARN of an SSM parameter. Messages never show the value, because a user
 * may have put the secret there.
 */
export const parameterName = z
  .string("the name of a parameter of SSM")
  .regex(
    /^(?:arn:aws[a-z-]*:ssm:[a-z0-9-]+:\d{12}:parameter)?\/?[\w.-]+(?:\/[\w.-]+)*$/,
    "the name of a parameter of SSM (letters, digits and ._-/), not its value",
  );

/** The schema of the name or ARN of a secret in Secrets Manager. */
export const secretId = someText("the name of a secret of Secrets Manager").regex(
  /^(?:arn:aws[a-z-]*:secretsmanager:[a-z0-9-]+:\d{12}:secret:)?[\w/+=.@-]{1,512}$/,
  "the name of a secret of Secrets Manager (letters, digits and /_+=.@-), not its value",
);

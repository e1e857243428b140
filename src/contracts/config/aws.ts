import * as z from "zod";
import { someText } from "./fields.ts";

/** An account id. Unquoted, YAML would read a number and drop a zero at its beginning. */
export const accountId = z
  .string('an account id of twelve digits in quotes, such as "123456789012"')
  .regex(/^\d{12}$/, "an account id of twelve digits");

const region = z
  .string('a region, such as "eu-central-1"')
  .regex(/^[a-z]{2,4}(?:-[a-z]+){1,2}-\d{1,2}$/, 'a region, such as "eu-central-1"');

const aRole = 'the ARN of a role, such as "arn:aws:iam::123456789012:role/lookout"';
/** The ARN of a role of any account. */
export const roleArn = z.string(aRole).regex(/^arn:aws[a-z-]*:iam::\d{12}:role\/[\w+=,.@/-]{1,512}$/, aRole);

const anEndpoint = "the https:// address of an API server";

/** Source: https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateCluster.html (name) */
const clusterName = "the name of an EKS cluster: at most 100 letters, digits, dashes and underscores";

/** An identifier as EC2 gives them: `subnet-0a1b2c3d4e5f6a7b8`. */
const ec2Id = (prefix: "vpc" | "subnet" | "sg") => {
  const expected = `an id of ${prefix}- and 8 to 17 hexadecimal digits`;
  return z.string(expected).regex(new RegExp(`^${prefix}-[0-9a-f]{8,17}$`), expected);
};

/** A cluster of EKS, as an entry of `clusters` names it. */
export const Eks = z
  .strictObject(
    {
      name: z
        .string(clusterName)
        .regex(/^[0-9A-Za-z][\w-]{0,99}$/, clusterName)
        .describe("What EKS calls the cluster."),
      region: region.exactOptional().describe("The cluster's region. Without it: that of the stack, or of AWS_REGION."),
      roleArn: roleArn
        .exactOptional()
        .describe("The role whose token the cluster lets in. Without it: the stack's access role, or who starts it."),
      endpoint: z
        .url({ protocol: /^https$/, error: anEndpoint })
        .exactOptional()
        .describe("The address of its API server. Without it EKS is asked."),
      certificateAuthority: z
        .base64({ error: "the certificate authority in base64, as EKS shows it" })
        .min(1, "the certificate authority in base64, as EKS shows it")
        .exactOptional()
        .describe("The certificate authority of its API server, in base64. Without it EKS is asked."),
    },
    "an EKS cluster with a name",
  )
  .refine(
    ({ endpoint, certificateAuthority }) => (endpoint === undefined) === (certificateAuthority === undefined),
    "needs endpoint and certificateAuthority together, or neither: then EKS is asked",
  )
  .meta({
    dependentRequired: { endpoint: ["certificateAuthority"], certificateAuthority: ["endpoint"] },
  })
  .readonly();

/** Where the functions of the stack run that reach a cluster without a public endpoint. */
export const Network = z
  .strictObject(
    {
      vpc: ec2Id("vpc").describe("The VPC from which the API server can be reached."),
      subnets: z
        .array(ec2Id("subnet"), "a list of subnets")
        .min(1, "at least one subnet")
        .readonly()
        .describe("Its subnets that the functions run in, with a way out to AWS."),
      securityGroups: z
        .array(ec2Id("sg"), "a list of security groups")
        .min(1, "at least one security group")
        .readonly()
        .exactOptional()
        .describe("The functions' security groups. Without it the stack makes one that lets everything out."),
    },
    "a network with vpc and subnets",
  )
  .readonly();

/**
 * The name or ARN of an SSM parameter. Messages never show it, because it may be the secret by
 * mistake.
 */
export const parameterName = z
  .string("the name of a parameter of SSM")
  .regex(
    /^(?:arn:aws[a-z-]*:ssm:[a-z0-9-]+:\d{12}:parameter)?\/?[\w.-]+(?:\/[\w.-]+)*$/,
    "the name of a parameter of SSM (letters, digits and ._-/), not its value",
  );

/** The name of a secret of Secrets Manager, or its ARN. */
export const secretId = someText("the name of a secret of Secrets Manager").regex(
  /^(?:arn:aws[a-z-]*:secretsmanager:[a-z0-9-]+:\d{12}:secret:)?[\w/+=.@-]{1,512}$/,
  "the name of a secret of Secrets Manager (letters, digits and /_+=.@-), not its value",
);

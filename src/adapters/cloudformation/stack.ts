import { CloudFormationClient, DescribeStacksCommand, type Stack } from "@aws-sdk/client-cloudformation";
import { type AwsRefusal, awsRefusal } from "../shared/aws-errors.ts";
import { userClientOptions, type CredentialProvider } from "../shared/aws.ts";

/** The result of reading a stack. */
export type StackRead =
  | {
      readonly kind: "stack";
      readonly region: string;
      /** The AWS partition: `aws`, `aws-cn`, `aws-us-gov`, … */
      readonly partition: string;
      /** The account id: twelve digits. */
      readonly account: string;
      /** CloudFormation's status, such as `UPDATE_COMPLETE`. */
      readonly status: string;
      readonly outputs: Readonly<Record<string, string>>;
    }
  | { readonly kind: "not-found"; readonly region: string }
  | (AwsRefusal & { readonly region?: string });

/** A stack to read. */
export interface StackName {
  readonly name: string;
  /** The region of the stack. The default is the region of the environment or the profile. */
  readonly region?: string | undefined;
}

/**
 * Reads a stack. The promise never rejects, because errors of AWS and its client are part of the
 * result.
 */
export async function readStack(
  { name, region: requested }: StackName,
  credentials: CredentialProvider,
): Promise<StackRead> {
  const client = new CloudFormationClient({
    credentials,
    ...userClientOptions,
    ...(requested === undefined ? {} : { region: requested }),
  });
  let region: string | undefined;
  try {
    // The credentials come first: an unknown profile has no region either, and the error must name
    // the profile.
    await credentials();
    region = await client.config.region();
    const { Stacks: [stack] = [], $metadata: answer } = await client.send(
      new DescribeStacksCommand({ StackName: name }),
    );
    // CloudFormation reports an unknown stack as an error. An empty answer comes from another
    // server.
    if (stack === undefined)
      return { kind: "failed", region, detail: `HTTP ${answer.httpStatusCode ?? "?"}, with no stack in the answer` };
    return stackRead(region, stack);
  } catch (error) {
    if (region !== undefined && isUnknown(error)) return { kind: "not-found", region };
    return { ...awsRefusal(error), ...(region === undefined ? {} : { region }) };
  } finally {
    client.destroy();
  }
}

function stackRead(region: string, { StackId = "", StackStatus: status, Outputs = [] }: Stack): StackRead {
  const outputs = Outputs.map(({ OutputKey = "", OutputValue = "" }) => [OutputKey, OutputValue] as const);
  // arn:<partition>:cloudformation:<region>:<account>:stack/<name>/<id>
  const [, partition = "", , , account = ""] = StackId.split(":");
  return { kind: "stack", region, partition, account, status: status ?? "", outputs: Object.fromEntries(outputs) };
}

/** Returns whether an error reports an unknown stack. CloudFormation has no error name for it. */
function isUnknown(error: unknown): boolean {
  return error instanceof Error && error.name === "ValidationError" && error.message.includes("does not exist");
}

import { CloudFormationClient, DescribeStacksCommand, type Stack } from "@aws-sdk/client-cloudformation";
import { type AwsRefusal, awsRefusal } from "../shared/aws-errors.ts";
import { callerPatience, type CredentialProvider } from "../shared/aws.ts";

/** What there is of a stack. */
export type StackRead =
  | {
      readonly kind: "stack";
      readonly region: string;
      /** `aws`, `aws-cn`, `aws-us-gov`, … */
      readonly partition: string;
      /** Twelve digits. */
      readonly account: string;
      /** As CloudFormation calls it: `UPDATE_COMPLETE`. */
      readonly status: string;
      readonly outputs: Readonly<Record<string, string>>;
    }
  | { readonly kind: "not-found"; readonly region: string }
  | (AwsRefusal & { readonly region?: string });

type Told = Omit<Extract<StackRead, { kind: "stack" }>, "kind" | "region">;

/** Which stack is meant. */
export interface StackName {
  readonly name: string;
  /** Absent: that of the environment or of the profile. */
  readonly region?: string | undefined;
}

/** Reads a stack. What AWS or its client refuses is answered. */
export async function readStack(
  { name, region: asked }: StackName,
  credentials: CredentialProvider,
): Promise<StackRead> {
  const client = new CloudFormationClient({
    credentials,
    ...callerPatience,
    ...(asked === undefined ? {} : { region: asked }),
  });
  let region: string | undefined;
  try {
    // A profile that is not there names no region either: what is missing is the profile.
    await credentials();
    region = await client.config.region();
    const { Stacks: [stack] = [], $metadata: answer } = await client.send(
      new DescribeStacksCommand({ StackName: name }),
    );
    // CloudFormation says that there is none with an error; whatever answers with nothing is something else.
    if (stack === undefined)
      return { kind: "failed", region, detail: `HTTP ${answer.httpStatusCode ?? "?"}, with no stack in the answer` };
    return { kind: "stack", region, ...tellOf(stack) };
  } catch (error) {
    if (region !== undefined && isUnknown(error)) return { kind: "not-found", region };
    return { ...awsRefusal(error), ...(region === undefined ? {} : { region }) };
  } finally {
    client.destroy();
  }
}

function tellOf({ StackId = "", StackStatus, Outputs = [] }: Stack): Told {
  const outputs = Outputs.map(({ OutputKey = "", OutputValue = "" }) => [OutputKey, OutputValue] as const);
  // arn:<partition>:cloudformation:<region>:<account>:stack/<name>/<id>
  const [, partition = "", , , account = ""] = StackId.split(":");
  return { partition, account, status: StackStatus ?? "", outputs: Object.fromEntries(outputs) };
}

/** The API has no error of its own for it. */
function isUnknown(error: unknown): boolean {
  return error instanceof Error && error.name === "ValidationError" && error.message.includes("does not exist");
}

import { GetParameterCommand, ParameterNotFound, SSMClient } from "@aws-sdk/client-ssm";
import { type AwsRefusal, refusalOr } from "../shared/aws-errors.ts";
import { type CallerOptions, callerPatience } from "../shared/aws.ts";

/** Whether an account and region are ready for the CDK. */
export type BootstrapRead =
  { readonly kind: "version"; readonly version: number } | { readonly kind: "not-bootstrapped" } | AwsRefusal;

/** Where `cdk bootstrap` writes its version, unless it was given a qualifier. */
const parameter = "/cdk-bootstrap/hnb659fds/version";

/** Reads which version of `cdk bootstrap` ran in an account and region. */
export async function readBootstrapVersion(options: CallerOptions): Promise<BootstrapRead> {
  const client = new SSMClient({ ...callerPatience, ...options });
  return refusalOr(() => read(client)).finally(() => client.destroy());
}

async function read(client: SSMClient): Promise<BootstrapRead> {
  try {
    const { Parameter } = await client.send(new GetParameterCommand({ Name: parameter }));
    return { kind: "version", version: Number(Parameter?.Value ?? 0) };
  } catch (error) {
    if (error instanceof ParameterNotFound) return { kind: "not-bootstrapped" };
    throw error;
  }
}

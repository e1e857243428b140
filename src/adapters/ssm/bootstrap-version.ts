import { GetParameterCommand, ParameterNotFound, SSMClient } from "@aws-sdk/client-ssm";
import { type AwsRefusal, callOnce } from "../shared/aws-errors.ts";
import { type UserOptions, userClientOptions } from "../shared/aws.ts";

/** The version of CDK's bootstrap stack in an account and region, if it exists. */
export type BootstrapRead =
  { readonly kind: "version"; readonly version: number } | { readonly kind: "not-bootstrapped" } | AwsRefusal;

/** The parameter that `cdk bootstrap` writes with the default qualifier. */
const parameter = "/cdk-bootstrap/hnb659fds/version";

/** Reads the version of CDK's bootstrap stack. */
export async function readBootstrapVersion(options: UserOptions): Promise<BootstrapRead> {
  const client = new SSMClient({ ...userClientOptions, ...options });
  return callOnce(client, () => read(client));
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

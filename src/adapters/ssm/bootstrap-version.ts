import { GetParameterCommand, ParameterNotFound, SSMClient, type SSMClientConfig } from "@aws-sdk/client-ssm";
import { type AwsRefusal, awsRefusal } from "../aws-refusal.ts";

/** Whether an account and region are ready for the CDK. */
export type BootstrapRead =
  { readonly kind: "version"; readonly version: number } | { readonly kind: "not-bootstrapped" } | AwsRefusal;

/** Where `cdk bootstrap` writes its version, unless it was given a qualifier. */
const parameter = "/cdk-bootstrap/hnb659fds/version";

/** Reads which version of `cdk bootstrap` ran in an account and region. */
export async function readBootstrapVersion(
  config: Pick<SSMClientConfig, "credentials" | "region" | "requestHandler" | "maxAttempts">,
): Promise<BootstrapRead> {
  const client = new SSMClient(config);
  try {
    const { Parameter } = await client.send(new GetParameterCommand({ Name: parameter }));
    return { kind: "version", version: Number(Parameter?.Value ?? 0) };
  } catch (error) {
    if (error instanceof ParameterNotFound) return { kind: "not-bootstrapped" };
    const refusal = awsRefusal(error);
    if (refusal === undefined) throw error;
    return refusal;
  } finally {
    client.destroy();
  }
}

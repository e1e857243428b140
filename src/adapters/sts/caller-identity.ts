import { GetCallerIdentityCommand, STSClient, type STSClientConfig } from "@aws-sdk/client-sts";
import { type AwsRefusal, awsRefusal } from "../aws-refusal.ts";

/** Who asks, as AWS knows them. */
export type CallerIdentity = { readonly kind: "identity"; readonly account: string; readonly arn: string } | AwsRefusal;

/** Asks AWS whose credentials these are. */
export async function readCallerIdentity(
  config: Pick<STSClientConfig, "credentials" | "region" | "requestHandler" | "maxAttempts">,
): Promise<CallerIdentity> {
  const client = new STSClient(config);
  try {
    const { Account: account = "", Arn: arn = "" } = await client.send(new GetCallerIdentityCommand({}));
    return { kind: "identity", account, arn };
  } catch (error) {
    const refusal = awsRefusal(error);
    if (refusal === undefined) throw error;
    return refusal;
  } finally {
    client.destroy();
  }
}

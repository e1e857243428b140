import { GetCallerIdentityCommand, STSClient } from "@aws-sdk/client-sts";
import { type AwsRefusal, refusalOr } from "../shared/aws-errors.ts";
import { type CallerOptions, callerPatience } from "../shared/aws.ts";

/** Who asks, as AWS knows them. */
export type CallerIdentity = { readonly kind: "identity"; readonly account: string; readonly arn: string } | AwsRefusal;

/** Asks AWS whose credentials these are. */
export async function readCallerIdentity(options: CallerOptions): Promise<CallerIdentity> {
  const client = new STSClient({ ...callerPatience, ...options });
  return refusalOr(async () => {
    const { Account: account = "", Arn: arn = "" } = await client.send(new GetCallerIdentityCommand({}));
    return { kind: "identity" as const, account, arn };
  }).finally(() => client.destroy());
}

import { GetCallerIdentityCommand, STSClient } from "@aws-sdk/client-sts";
import { type AwsRefusal, callOnce } from "../shared/aws-errors.ts";
import { type UserOptions, userClientOptions } from "../shared/aws.ts";

/** The account and ARN of some credentials. */
export type CallerIdentity = { readonly kind: "identity"; readonly account: string; readonly arn: string } | AwsRefusal;

/** Reads the account and ARN of credentials from AWS. */
export async function readCallerIdentity(options: UserOptions): Promise<CallerIdentity> {
  const client = new STSClient({ ...userClientOptions, ...options });
  return callOnce(client, async () => {
    const { Account: account = "", Arn: arn = "" } = await client.send(new GetCallerIdentityCommand({}));
    return { kind: "identity" as const, account, arn };
  });
}

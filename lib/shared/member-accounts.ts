/** How many accounts may take part. */
import { Annotations } from "aws-cdk-lib";
import type { Construct } from "constructs";

/**
 * Accounts in one stack. The policy of a bus takes 10,240 characters, of which each account adds 15.
 *
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-quota.html
 */
const most = 600;

/** More accounts than a stack has room for are an error of the scope. */
export function refuseTooMany(scope: Construct, accounts: readonly string[]): void {
  if (accounts.length > most)
    Annotations.of(scope).addError(
      `lookout.yaml lists ${accounts.length} accounts, and the policy of a stack's bus has room for ${most}: ` +
        "list fewer, or deploy a second stack for the others (LOOKOUT_STACK)",
    );
}

/** The limit of member accounts. */
import { Annotations } from "aws-cdk-lib";
import type { Construct } from "constructs";

/**
 * Accounts per stack. The policy of a bus has 10,240 characters, and each account takes 15.
 *
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-quota.html
 */
const most = 600;

/** Adds an error to the scope when there are too many accounts. */
export function refuseTooMany(scope: Construct, accounts: readonly string[]): void {
  if (accounts.length > most)
    Annotations.of(scope).addError(
      `lookout.yaml lists ${accounts.length} accounts, and the policy of a stack's bus has room for ${most}: ` +
        "list fewer, or deploy a second stack for the others (LOOKOUT_STACK)",
    );
}

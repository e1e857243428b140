/** The limit of member accounts. */
import { Annotations } from "aws-cdk-lib";
import type { Construct } from "constructs";

/**
 * The maximum number of accounts per stack. The policy of a bus may have 10,240 characters, and
 * each account takes 15.
 *
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-quota.html
 */
const most = 600;

/** Adds an error to the scope when there are too many accounts. */
export function refuseTooMany(scope: Construct, accounts: readonly string[]): void {
  if (accounts.length > most)
    Annotations.of(scope).addError(
      `lookout.yaml lists ${accounts.length} accounts, and the policy of a stack's bus has room for ${most}: ` +
        "list fewer accounts, or move some to a second stack (LOOKOUT_STACK)",
    );
}

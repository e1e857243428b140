/** How many accounts may take part: rules and policies have room for so many characters. */
import { Annotations } from "aws-cdk-lib";
import type { Construct } from "constructs";

/**
 * Accounts in one rule, and in one statement of IAM. A pattern takes 2,048 characters, of which 300 are said already and each account adds
 * 15; a managed policy takes 6,144, of which each account adds 48.
 */
const namedAtOnce = 100;

/**
 * Accounts in one stack. The policy of a bus takes 10,240 characters, of which each account adds 15.
 *
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-quota.html
 */
const most = 600;

/** Splits accounts, or what is named after them, into as many as one rule or statement takes, in their order; none is empty. */
export function inHundreds(all: readonly string[]): readonly (readonly [string, ...string[]])[] {
  const [first, ...others] = all.slice(0, namedAtOnce);
  return first === undefined ? [] : [[first, ...others], ...inHundreds(all.slice(namedAtOnce))];
}

/** More accounts than a stack has room for are an error of the scope. */
export function refuseTooMany(scope: Construct, accounts: readonly string[]): void {
  if (accounts.length > most)
    Annotations.of(scope).addError(
      `lookout.yaml lists ${accounts.length} accounts, and the policy of a stack's bus has room for ${most}: ` +
        "list fewer, or deploy a second stack for the others (LOOKOUT_STACK)",
    );
}

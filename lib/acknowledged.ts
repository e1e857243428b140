/** The rules of cdk-nag that the stack does not keep, and why. */
import { Validations } from "aws-cdk-lib";
import type { Construct } from "constructs";

/** Rules that hold nowhere in the stack, or not where it says. */
export const acknowledged: readonly { readonly id: string; readonly reason: string }[] = [];

/** Tells the validation of a stack which rules are not kept. */
export function acknowledgeRules(scope: Construct): void {
  Validations.of(scope).acknowledge(...acknowledged);
}

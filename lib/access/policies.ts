/** Policies for long lists of resources, because IAM limits the characters of each policy. */
import { Annotations, Stack } from "aws-cdk-lib";
import { ManagedPolicy, PolicyStatement, type Role } from "aws-cdk-lib/aws-iam";
import type { Construct } from "constructs";
import { flat } from "../shared/acknowledged.ts";
import { splitByLength } from "../shared/split.ts";

/**
 * The maximum number of characters for the resources of one statement. IAM limits the inline
 * policies of a role to 10,240 characters together, and a managed policy to 6,144.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html
 */
const room = { own: 1_500, managed: 5_800 } as const;

/** IAM's quotas of managed policies per role: the default quota and the highest quota. */
const policiesOfRole = { atFirst: 10, atMost: 20 } as const;

/**
 * Allows a role `actions` on `resources`. Short lists go into the role's inline policy, and long
 * lists into managed policies. An empty list adds no right.
 */
export function allow(role: Role, actions: readonly string[], resources: readonly string[]): void {
  if (resources.length === 0) return;
  const lengthOf = (resource: string) => flat(Stack.of(role).resolve(resource)).length + '"",'.length;
  const statement = (some: readonly string[]) => new PolicyStatement({ actions: [...actions], resources: [...some] });
  const length = resources.reduce((sum, resource) => sum + lengthOf(resource), 0);
  if (length <= room.own) role.addToPolicy(statement(resources));
  else
    for (const some of splitByLength(resources, room.managed, lengthOf))
      new ManagedPolicy(role, `Policy${managedPoliciesOf(role) + 1}`, { roles: [role], statements: [statement(some)] });
}

/** Adds a warning or an error when a role has more managed policies than IAM's quotas. */
export function refuseTooManyPolicies(scope: Construct, roles: readonly Role[]): void {
  const { atFirst, atMost } = policiesOfRole;
  const count = Math.max(...roles.map(managedPoliciesOf));
  const needed = `the roles and secrets of lookout.yaml need ${count} managed policies on one role`;
  if (count > atMost)
    Annotations.of(scope).addError(
      `${needed}, and IAM allows ${atMost}: remove some of them, or move some to a second stack (LOOKOUT_STACK)`,
    );
  else if (count > atFirst)
    Annotations.of(scope).addWarningV2(
      "lookout:managed-policies",
      `${needed}, and IAM allows ${atFirst} by default: raise the quota "Managed policies per role", up to ${atMost}`,
    );
}

function managedPoliciesOf({ node }: Role): number {
  return node.children.filter((child) => child instanceof ManagedPolicy).length;
}

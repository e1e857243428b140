/** What roles may do to as much as `lookout.yaml` names: each policy of a role has room for so many characters. */
import { Annotations, Stack } from "aws-cdk-lib";
import { ManagedPolicy, PolicyStatement, type Role } from "aws-cdk-lib/aws-iam";
import type { Construct } from "constructs";
import { flat } from "../shared/acknowledged.ts";
import { splitByLength } from "../shared/split.ts";

/**
 * Characters of resources in one statement. A role's own policy takes 10,240, of which each list may have some; a managed policy takes 6,144,
 * and the actions stand beside the resources.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html
 */
const room = { own: 1_500, managed: 5_800 } as const;

/** Managed policies of one role: what IAM takes at first, and what an account may ask for. */
const policiesOfRole = { atFirst: 10, atMost: 20 } as const;

/** Lets a role do `actions` to `resources`: under its own policy, or where they are too many for it under managed ones. No resources, no right. */
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

/** Says of the role with the most managed policies whether an account has to ask for more of them, or can't have as many. */
export function refuseTooManyPolicies(scope: Construct, roles: readonly Role[]): void {
  const { atFirst, atMost } = policiesOfRole;
  const count = Math.max(...roles.map(managedPoliciesOf));
  const needed = `what lookout.yaml names takes ${count} managed policies of one role`;
  if (count > atMost)
    Annotations.of(scope).addError(
      `${needed}, and IAM takes ${atMost}: name fewer roles and secrets, or deploy a second stack for the others (LOOKOUT_STACK)`,
    );
  else if (count > atFirst)
    Annotations.of(scope).addWarningV2(
      "lookout:managed-policies",
      `${needed}, and IAM takes ${atFirst} until you ask for more: the quota "Managed policies per role" may be ${atMost}`,
    );
}

function managedPoliciesOf({ node }: Role): number {
  return node.children.filter((child) => child instanceof ManagedPolicy).length;
}

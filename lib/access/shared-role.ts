/** A role that several functions share. */
import { ArnPrincipal, CompositePrincipal, Role } from "aws-cdk-lib/aws-iam";
import type { Construct } from "constructs";
import type { Grantee } from "../shared/grantee.ts";

interface SharedRole {
  readonly description: string;
  /** The functions that may assume the role. Nobody else may. */
  readonly functions: readonly Grantee[];
  /** The environment variable of these functions with the role's ARN. */
  readonly variable: string;
}

/** Creates a role that only some functions may assume, and tells these functions the role's ARN. */
export function sharedRole(scope: Construct, { description, functions, variable }: SharedRole): Role {
  const assumedBy = new CompositePrincipal(...functions.map(({ role }) => new ArnPrincipal(role.roleArn)));
  const role = new Role(scope, "Role", { description, assumedBy });
  for (const fn of functions) {
    fn.allow(["sts:AssumeRole"], [role.roleArn]);
    fn.tell(variable, role.roleArn);
  }
  return role;
}

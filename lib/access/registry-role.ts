/** The role that has access to the registries of other accounts. */
import type { Role } from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";
import type { Configuration } from "#contracts/config/configuration";
import { environment } from "#contracts/aws/environment";
import type { Grantee } from "../shared/grantee.ts";
import { allow } from "./policies.ts";
import { sharedRole } from "./shared-role.ts";

/**
 * One role for the registries of other accounts. The role may only assume the `roleArn` of registries
 * in lookout.yaml, so the trust policies of those roles name one ARN. Only functions that reach
 * registries may assume the role. The role exists without a `roleArn` too, because the roles that
 * trust it are created first.
 */
export class RegistryRole extends Construct {
  readonly role: Role;

  /** @param functions - the functions that reach registries. */
  constructor(scope: Construct, id: string, functions: readonly Grantee[], { registries }: Configuration) {
    super(scope, id);
    this.role = sharedRole(this, {
      description: "Lookout's identity for registries of other accounts; the trust policy of a roleArn names it",
      functions,
      variable: environment.registryRole,
    });
    allow(this.role, ["sts:AssumeRole"], [...new Set(registries.flatMap(({ roleArn }) => roleArn ?? []))]);
  }
}

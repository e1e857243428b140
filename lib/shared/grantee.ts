/** The interfaces of a function, for the constructs that start it or grant it rights. */
import type { IGrantable, Role } from "aws-cdk-lib/aws-iam";
import type { Function } from "aws-cdk-lib/aws-lambda";
import type { Construct } from "constructs";
import type { FunctionName, Route } from "#contracts/routes";
import type { Wildcard } from "./acknowledged.ts";

/** A function that gets rights to parts, and environment variables that name the parts. */
export interface Grantee extends Construct, IGrantable {
  readonly role: Role;
  /** Allows the function `actions` on `resources`. An empty list adds no right. */
  allow(actions: readonly string[], resources: readonly string[]): void;
  /** Allows `actions` on resources with wildcards, and acknowledges each wildcard for cdk-nag. */
  allowMatching(actions: readonly string[], resources: readonly string[], why: Wildcard): void;
  /** Sets an environment variable of the function. */
  tell(variable: string, value: string): void;
}

/** A function that queues, schedules and requests can start. */
export interface Startable extends Grantee {
  readonly route: Route;
  readonly name: FunctionName;
  /** The copy outside of any VPC. */
  readonly lambda: Function;
  /** The copies in VPCs. */
  readonly placed: readonly {
    readonly network: { readonly vpc: string; readonly clusters: readonly string[] };
    readonly lambda: Function;
  }[];
}

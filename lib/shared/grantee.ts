/** A function as the parts see it: they start it, and grant it their use. */
import type { IGrantable, Role } from "aws-cdk-lib/aws-iam";
import type { Function } from "aws-cdk-lib/aws-lambda";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import type { FunctionName, Route } from "#contracts/routes";
import type { Wildcard } from "./acknowledged.ts";

/** The receiver of rights to a part, with variables that name the part. */
export interface Grantee extends Construct, IGrantable {
  readonly role: Role;
  /** Lets it do `actions` to `resources`. No resources, no right. */
  allow(actions: readonly string[], resources: readonly string[]): void;
  /** As {@link allow}, to resources that only a pattern names. */
  allowMatching(actions: readonly string[], resources: readonly string[], why: Wildcard): void;
  /** Sets a variable of its environment. */
  tell(variable: string, value: string): void;
}

/** A grantee that queues, schedules and requests start. */
export interface Startable extends Grantee {
  readonly route: Route;
  readonly name: FunctionName;
  /** Outside of any network. */
  readonly lambda: Function;
  /** The same in each network. */
  readonly placed: readonly {
    readonly network: { readonly vpc: string; readonly clusters: readonly string[] };
    readonly lambda: Function;
  }[];
  /** Messages that can't be parsed, and runs that failed each time. */
  readonly deadLetters: Queue;
  /** Lets it use {@link deadLetters}, and sets the variable with their queue. */
  grantKeep(): void;
}

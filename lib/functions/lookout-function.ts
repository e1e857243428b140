/**
 * One function of the route table, in all its networks, with its role and log.
 */
import { Duration, RemovalPolicy, Stack } from "aws-cdk-lib";
import { Effect, type IPrincipal, PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import {
  Architecture,
  type Code,
  Function,
  type FunctionProps,
  LoggingFormat,
  RecursiveLoop,
  Runtime,
  SystemLogLevel,
  type Tracing,
} from "aws-cdk-lib/aws-lambda";
import { SqsDestination } from "aws-cdk-lib/aws-lambda-destinations";
import { LogGroup, RetentionDays } from "aws-cdk-lib/aws-logs";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { environment } from "#contracts/aws/environment";
import { functionName, type FunctionName, type Route } from "#contracts/routes";
import { acknowledgeWildcard, type Wildcard } from "../shared/acknowledged.ts";
import { type ClusterNetwork, networkRights } from "./cluster-network.ts";
import { allow } from "../access/policies.ts";
import type { Startable } from "../shared/grantee.ts";

/**
 * Returns the memory of a route's function, in MiB.
 *
 * More memory means more CPU and a higher price per second. With 512 MiB, functions that load the
 * Kubernetes client start twice as fast. Other functions load a third as much code, and mostly wait
 * for the table.
 */
export const memoryMiB = ({ reaches }: Route): number => (reaches.includes("clusters") ? 512 : 256);

/** The properties of a function. */
export interface LookoutFunctionProps {
  readonly route: Route;
  /** The code of all functions. The file of this function is `<stage>/<name>.mjs`. */
  readonly code: Code;
  /** The VPCs with a copy of the function. */
  readonly networks: readonly ClusterNetwork[];
  /** The queue of events whose runs all failed. */
  readonly kept: Queue;
  /** @default - a month */
  readonly logRetention?: RetentionDays | undefined;
  /** @default - no tracing: it adds 25 ms to each cold start */
  readonly tracing?: Tracing | undefined;
}

/**
 * A deployed function of the route table. The constructs that it uses grant its rights and set its
 * variables.
 */
export class LookoutFunction extends Construct implements Startable {
  readonly route: Route;
  readonly name: FunctionName;
  /** The function outside of any VPC. */
  readonly lambda: Function;
  /** The copies in VPCs, which share the role and log. */
  readonly placed: readonly { readonly network: ClusterNetwork; readonly lambda: Function }[];
  readonly role: Role;
  readonly log: LogGroup;

  constructor(scope: Construct, { route, code, networks, kept, logRetention, tracing }: LookoutFunctionProps) {
    super(scope, `${route.stage}-${route.name}`);
    this.route = route;
    this.name = functionName(route);
    this.log = new LogGroup(this, "Log", {
      retention: logRetention ?? RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.role = new Role(this, "Role", { assumedBy: new ServicePrincipal("lambda.amazonaws.com") });
    this.log.grantWrite(this.role);
    const props = { ...this.propsOf(code), ...(tracing === undefined ? {} : { tracing }) };
    this.lambda = new Function(this, "Function", { ...props, ...asynchronousRuns(route, kept) });
    this.placed = networks.map((network) => ({ network, lambda: this.lambdaIn(network, props) }));
    if (networks.length > 0) this.letLambdaConnect();
  }

  get grantPrincipal(): IPrincipal {
    return this.role;
  }

  /** All copies of the function. The copy outside of any VPC is the first. */
  get lambdas(): readonly Function[] {
    return [this.lambda, ...this.placed.map(({ lambda }) => lambda)];
  }

  /**
   * Lets Lambda connect the function to a VPC with the function's role. A policy denies these
   * actions to the function's own code.
   */
  private letLambdaConnect(): void {
    this.allowMatching(networkRights, ["*"], "networkInterfaces");
    this.role.addToPolicy(
      new PolicyStatement({
        effect: Effect.DENY,
        actions: networkRights,
        resources: ["*"],
        conditions: { Null: { "lambda:SourceFunctionArn": "false" } },
      }),
    );
  }

  /**
   * Creates the copy in a VPC. Only queues and requests start copies, so copies need no maximum
   * event age.
   */
  private lambdaIn({ vpc, placement }: ClusterNetwork, props: FunctionProps): Function {
    return new Function(this, `Function-${vpc}`, {
      ...props,
      ...placement,
      description: `Lookout: ${this.name} in ${vpc}`,
    });
  }

  private propsOf(code: Code): FunctionProps {
    const { route } = this;
    return {
      description: `Lookout: ${this.name}`,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      code,
      handler: `${this.name}.handler`,
      memorySize: memoryMiB(route),
      timeout: Duration.millis(route.timeoutMs),
      role: this.role,
      logGroup: this.log,
      // At a lower level, Lambda writes two more lines per successful run.
      loggingFormat: LoggingFormat.JSON,
      systemLogLevelV2: SystemLogLevel.WARN,
      // By default, tracing is off: every log line has a correlation id.
      environment: { [environment.stack]: Stack.of(this).stackName },
      // By default, Lambda stops a loop of a function's messages after sixteen messages. An update
      // needs more. The loop ends, because each rollout check waits longer than the last and an
      // update has a time limit.
      ...(takesMessages(route) ? { recursiveLoop: RecursiveLoop.ALLOW } : {}),
    };
  }

  /** Allows the function `actions` on `resources`. An empty list adds no right. */
  allow(actions: readonly string[], resources: readonly string[]): void {
    allow(this.role, actions, resources);
  }

  /** Allows `actions` on resources with wildcards, and acknowledges each wildcard for cdk-nag. */
  allowMatching(actions: readonly string[], resources: readonly string[], why: Wildcard): void {
    this.allow(actions, resources);
    for (const resource of resources) acknowledgeWildcard(this.role, resource, why);
  }

  /** Sets an environment variable. */
  tell(variable: string, value: string): void {
    for (const lambda of this.lambdas) lambda.addEnvironment(variable, value);
  }
}

/** Returns whether a queue starts the function of a route. */
export function takesMessages({ trigger }: Route): boolean {
  return trigger.kind === "command" || trigger.kind === "event" || trigger.kind === "dead-letter";
}

/**
 * Returns the rules for runs that nothing waits for, which only schedules start. A late run is
 * useless once the next run is due. Lambda's minimum is one minute. Events whose runs all failed are
 * kept: the message names the function.
 */
function asynchronousRuns({ trigger }: Route, kept: Queue): Pick<FunctionProps, "maxEventAge" | "onFailure"> {
  if (trigger.kind !== "schedule") return {};
  return {
    maxEventAge: Duration.millis(Math.max(trigger.everyMs, 60_000)),
    onFailure: new SqsDestination(kept),
  };
}

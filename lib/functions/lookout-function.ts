/** One function of the route table, in every network that it is needed in, with its role, its log and its dead letters. */
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
} from "aws-cdk-lib/aws-lambda";
import { LogGroup, RetentionDays } from "aws-cdk-lib/aws-logs";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { environment } from "#contracts/aws/environment";
import { functionName, type FunctionName, type Route } from "#contracts/routes";
import { acknowledgeWildcard, type Wildcard } from "../shared/acknowledged.ts";
import { type ClusterNetwork, networkRights } from "./cluster-network.ts";
import { allow } from "../access/policies.ts";
import type { Startable } from "../shared/grantee.ts";
import { privateQueue } from "../shared/private-queue.ts";

/**
 * Answers how much memory the function of a route has, in MiB.
 *
 * More memory is more processor, and costs more for as long as a run waits for others. Half a gigabyte halves what importing the code
 * takes at the first run: worth it where that is the client of Kubernetes, and lists of whole clusters are parsed. The others load a
 * third of that code and mostly wait for the table.
 */
export const memoryMiB = ({ reaches }: Route): number => (reaches.includes("clusters") ? 512 : 256);

/** What a function is made of. */
export interface LookoutFunctionProps {
  readonly route: Route;
  /** The code of all functions: `<stage>/<name>.mjs` in it is this one's. */
  readonly code: Code;
  /** The networks that it runs in beside the one outside of any. */
  readonly networks: readonly ClusterNetwork[];
}

/** A function. What it may do, and the variables that tell it where, come from the constructs that grant it their use. */
export class LookoutFunction extends Construct implements Startable {
  readonly route: Route;
  readonly name: FunctionName;
  /** Outside of any network. */
  readonly lambda: Function;
  /** The same in each network: they share all else. */
  readonly placed: readonly { readonly network: ClusterNetwork; readonly lambda: Function }[];
  readonly role: Role;
  readonly log: LogGroup;
  /** What this function can't do anything about: messages that nobody understands, and runs that failed each time. */
  readonly deadLetters: Queue;

  constructor(scope: Construct, { route, code, networks }: LookoutFunctionProps) {
    super(scope, `${route.stage}-${route.name}`);
    this.route = route;
    this.name = functionName(route);
    this.deadLetters = privateQueue(this, "DeadLetters", { retentionPeriod: Duration.days(14) });
    this.log = new LogGroup(this, "Log", { retention: RetentionDays.ONE_MONTH, removalPolicy: RemovalPolicy.DESTROY });
    this.role = new Role(this, "Role", { assumedBy: new ServicePrincipal("lambda.amazonaws.com") });
    this.log.grantWrite(this.role);
    const props = this.propsOf(code);
    this.lambda = new Function(this, "Function", { ...props, maxEventAge: maximumEventAge(route) });
    this.placed = networks.map((network) => ({ network, lambda: this.lambdaIn(network, props) }));
    if (networks.length > 0) this.letLambdaConnect();
  }

  get grantPrincipal(): IPrincipal {
    return this.role;
  }

  /** All of them, the one outside of any network first. */
  get lambdas(): readonly Function[] {
    return [this.lambda, ...this.placed.map(({ lambda }) => lambda)];
  }

  /** Lambda connects the function with its role, which the code has too. Whatever that calls names the function, and is denied: it needs none of it. */
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

  /** Queues and requests start it: nothing is kept for it that could become too old. */
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
      // Of runs that go well Lambda would write two lines of its own, which cost as much as ours and say less.
      loggingFormat: LoggingFormat.JSON,
      systemLogLevelV2: SystemLogLevel.WARN,
      deadLetterQueue: this.deadLetters,
      // Without tracing: it costs 25 ms of each first run, and the correlation id in every log line tells the same story.
      environment: { [environment.stack]: Stack.of(this).stackName },
      // Messages that lead back to the same function are how an update goes on: the looks at a roll-out are more than the sixteen runs after
      // which Lambda would end them. None of these chains runs hot: each look waits longer than the one before, up to half a minute, an
      // update has a time limit, and what waits for longer waits for a timer.
      ...(takesMessages(route) ? { recursiveLoop: RecursiveLoop.ALLOW } : {}),
    };
  }

  /** Lets the function do `actions` to `resources`, under its own role. No resources, no right. */
  allow(actions: readonly string[], resources: readonly string[]): void {
    allow(this.role, actions, resources);
  }

  /** As {@link allow}, to resources that only a pattern names; it says why. */
  allowMatching(actions: readonly string[], resources: readonly string[], why: Wildcard): void {
    this.allow(actions, resources);
    for (const resource of resources) acknowledgeWildcard(this.role, resource, why);
  }

  /** Lets the function keep for a person what it can't do anything about, and tells it where. */
  grantKeep(): void {
    this.allow(["sqs:SendMessage"], [this.deadLetters.queueArn]);
    this.tell(environment.ownDeadLetterQueue, this.deadLetters.queueUrl);
  }

  /** Tells the function something through its environment. */
  tell(variable: string, value: string): void {
    for (const lambda of this.lambdas) lambda.addEnvironment(variable, value);
  }
}

/** Whether a queue starts the function of a route. */
export function takesMessages({ trigger }: Route): boolean {
  return trigger.kind === "command" || trigger.kind === "event" || trigger.kind === "dead-letter";
}

/** A run that is late is of no use once the next one is due. Lambda keeps nothing for less than a minute. */
function maximumEventAge({ trigger }: Route): Duration {
  return trigger.kind === "schedule" ? Duration.millis(Math.max(trigger.everyMs, 60_000)) : Duration.hours(6);
}

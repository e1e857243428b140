/** Lookout on AWS, as the diagram of docs/how-it-works.md draws it. */
import { Annotations, Duration, Stack } from "aws-cdk-lib";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import type { Configuration } from "#contracts/config/configuration";
import { functionName, type FunctionName, type Route, routes } from "#contracts/routes";
import { AccessRole } from "../access/access-role.ts";
import { LookoutAlarms } from "../observability/alarms.ts";
import { LookoutBus } from "../messaging/bus.ts";
import { ClusterNetwork, networksOf } from "../functions/cluster-network.ts";
import { codeWith } from "../functions/code.ts";
import { withoutKubeconfigs } from "../shared/configuration.ts";
import { LookoutDashboard } from "../observability/dashboard.ts";
import { grantRouteParts } from "./grants.ts";
import { LookoutHttpApi } from "../messaging/http-api.ts";
import { ImagePushes } from "../messaging/image-pushes.ts";
import { LookoutFunction } from "../functions/lookout-function.ts";
import { writeOutputs } from "./outputs.ts";
import type { Parts } from "./parts.ts";
import { refuseTooManyPolicies } from "../access/policies.ts";
import { privateQueue } from "../shared/private-queue.ts";
import { CommandQueues } from "../messaging/queues.ts";
import { LookoutTable } from "../storage/table.ts";
import { Timers } from "../messaging/timers.ts";
import { startByItsTrigger } from "./triggers.ts";

/** The properties of an installation. */
export interface LookoutProps {
  readonly configuration: Configuration;
  /** The output folder of `bundleFunctions`. */
  readonly functions: string;
}

/**
 * The construct of one installation. Put it into your own stack, or deploy `LookoutStack`. Commands
 * find the installation by the stack's name.
 */
export class Lookout extends Construct implements Parts {
  readonly configuration: Configuration;
  readonly table: LookoutTable;
  readonly bus: LookoutBus;
  /** All functions, in the order of the route table. */
  readonly functions: ReadonlyMap<FunctionName, LookoutFunction>;
  readonly queues: CommandQueues;
  readonly kept: Queue;
  readonly timers: Timers;
  readonly httpApi: LookoutHttpApi;
  readonly accessRole: AccessRole;
  readonly alarms: LookoutAlarms;

  constructor(scope: Construct, id: string, { configuration, functions }: LookoutProps) {
    super(scope, id);
    this.configuration = withoutKubeconfigs(this, configuration);
    this.table = new LookoutTable(this, "Table");
    this.bus = new LookoutBus(this, "Bus", configuration.accounts);
    this.kept = privateQueue(this, "Kept", { retentionPeriod: Duration.days(14) });
    this.functions = this.functionsOf(functions);
    this.queues = new CommandQueues(this, "Queues", this.function("gate/dead-letter"), this.kept);
    this.timers = new Timers(this, "Timers", this.kept);
    this.httpApi = new LookoutHttpApi(this, "HttpApi");

    const all = [...this.functions.values()];
    for (const fn of all) startByItsTrigger(fn, this);
    for (const fn of all) grantRouteParts(fn, this);
    this.timers.sendTo(this.queues);
    const evaluation = this.function("evaluate/image-pushed");
    new ImagePushes(this, "ImagePushes", {
      bus: this.bus.bus,
      queue: this.queues.queueOf(evaluation),
      kept: this.kept,
      memberAccounts: configuration.accounts,
    });
    this.accessRole = new AccessRole(this, "AccessRole", all.filter(reachesClusters), configuration);
    refuseTooManyPolicies(this, [this.accessRole.role, ...all.map(({ role }) => role)]);
    const watched = { functions: all, queues: this.queues.all, kept: this.kept, httpApi: this.httpApi };
    this.alarms = new LookoutAlarms(this, "Alarms", { watched, configured: configuration.alarms });
    new LookoutDashboard(this, "Dashboard", { ...watched, table: this.table.table, alarms: this.alarms.all });
    if (this.isSecond()) this.refuse();
    else writeOutputs(this, this);
  }

  /** Returns one function of the route table. */
  function(name: FunctionName): LookoutFunction {
    const fn = this.functions.get(name);
    if (fn === undefined) throw new Error(`the route table has no function ${name}`);
    return fn;
  }

  private isSecond(): boolean {
    return Stack.of(this)
      .node.findAll()
      .some((other) => other instanceof Lookout && other !== this);
  }

  /**
   * Adds an error for a second Lookout. A stack can have only one, because outputs, alarms, the
   * dashboard and queues are named after the stack.
   */
  private refuse(): void {
    const { stackName } = Stack.of(this);
    Annotations.of(this).addError(
      `the stack ${stackName} already has a Lookout: put the second Lookout into another stack`,
    );
  }

  private functionsOf(folder: string): ReadonlyMap<FunctionName, LookoutFunction> {
    const code = codeWith(this.configuration, folder);
    const all = networksOf(this, this.configuration.clusters).map((network) => new ClusterNetwork(this, network));
    return new Map(
      routes.map((route: Route) => {
        const networks = route.reaches.includes("clusters") ? all : [];
        return [functionName(route), new LookoutFunction(this, { route, code, networks, kept: this.kept })];
      }),
    );
  }
}

function reachesClusters({ route }: LookoutFunction): boolean {
  return route.reaches.includes("clusters");
}

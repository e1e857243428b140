/** Lookout on AWS, as the diagram of docs/how-it-works.md draws it. */
import { Annotations, Duration, Stack } from "aws-cdk-lib";
import type { IDomainName } from "aws-cdk-lib/aws-apigatewayv2";
import { type Metric, type MetricOptions, Stats } from "aws-cdk-lib/aws-cloudwatch";
import type { ITableV2 } from "aws-cdk-lib/aws-dynamodb";
import { Connections, type IConnectable } from "aws-cdk-lib/aws-ec2";
import type { OnEventOptions, Rule } from "aws-cdk-lib/aws-events";
import { type Grant, type IGrantable, type IManagedPolicy, PermissionsBoundary } from "aws-cdk-lib/aws-iam";
import type { IKey } from "aws-cdk-lib/aws-kms";
import type { Tracing } from "aws-cdk-lib/aws-lambda";
import type { RetentionDays } from "aws-cdk-lib/aws-logs";
import type { ITopic } from "aws-cdk-lib/aws-sns";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import type { MetricName } from "#contracts/aws/metrics";
import type { Configuration } from "#contracts/config/configuration";
import type { FactName } from "#contracts/messages/events";
import { deployedRoutes, functionName, type FunctionName, type Reach } from "#contracts/routes";
import { AccessRole } from "../access/access-role.ts";
import { RegistryRole } from "../access/registry-role.ts";
import { type ApproveOptions, grantApprove, grantOperate, grantRead } from "../access/api-grants.ts";
import { LookoutAlarms, type MonitoringProps } from "../observability/alarms.ts";
import { type AddedReceiver, AddedReceivers, type ReceiverOptions } from "../messaging/added-receivers.ts";
import { LookoutBus } from "../messaging/bus.ts";
import { ChannelRules } from "../messaging/channel-rules.ts";
import { builtFunctions } from "../functions/built.ts";
import { ClusterNetwork, networksOf } from "../functions/cluster-network.ts";
import { codeWith } from "../functions/code.ts";
import { type Cluster, entriesOf } from "./cluster.ts";
import { withoutKubeconfigs } from "../shared/configuration.ts";
import { LookoutDashboard } from "../observability/dashboard.ts";
import { enterClusters } from "./clusters.ts";
import { onFacts } from "./facts.ts";
import { grantRouteParts } from "./grants.ts";
import { LookoutHttpApi } from "../messaging/http-api.ts";
import { ImagePushes } from "../messaging/image-pushes.ts";
import { LookoutFunction } from "../functions/lookout-function.ts";
import { writeOutputs } from "./outputs.ts";
import type { Parts } from "./parts.ts";
import { refuseTooManyPolicies } from "../access/policies.ts";
import { privateQueue } from "../shared/private-queue.ts";
import { CommandQueues } from "../messaging/queues.ts";
import { Settings } from "./settings.ts";
import { LookoutTable } from "../storage/table.ts";
import { Timers } from "../messaging/timers.ts";
import { startByItsTrigger, startByWebhooks } from "./triggers.ts";
import { ownMetric } from "../observability/watched.ts";

/** The properties of an installation. */
export interface LookoutProps {
  /** The settings. @default - `lookout.yaml` of the working directory, if it exists */
  readonly settings?: Settings | undefined;
  /** Clusters beside those of the settings. @default - none */
  readonly clusters?: readonly Cluster[] | undefined;
  /** The folder of the built functions. @default - the functions of this version, which are built now */
  readonly functions?: string | undefined;
  /**
   * An existing table with all state, for example one that was restored from a backup
   * (docs/restore.md). @default - a new table
   */
  readonly table?: ITableV2 | undefined;
  /** A domain of yours, so that the URLs of webhooks survive a new API. @default - the API's address */
  readonly domain?: IDomainName | undefined;
  /** The key of a new table, and of the secrets of added receivers. @default - keys of AWS */
  readonly encryptionKey?: IKey | undefined;
  /** The retention of all logs. @default - a month */
  readonly logRetention?: RetentionDays | undefined;
  /** X-Ray, which adds 25 ms to each cold start. @default - no tracing */
  readonly tracing?: Tracing | undefined;
  /** The receivers and thresholds of the alarms, beside those of the settings. @default - none */
  readonly monitoring?: MonitoringProps | undefined;
  /** The permissions boundary of all roles. @default - none */
  readonly permissionsBoundary?: IManagedPolicy | undefined;
}

/**
 * The construct of one installation. Put it into your own stack, or deploy `LookoutStack`. Commands
 * find the installation by the stack's name.
 */
export class Lookout extends Construct implements Parts, IConnectable {
  readonly configuration: Configuration;
  readonly table: LookoutTable;
  readonly bus: LookoutBus;
  /** The deployed functions, in the order of the route table. */
  readonly functions: ReadonlyMap<FunctionName, LookoutFunction>;
  readonly queues: CommandQueues;
  readonly kept: Queue;
  readonly timers: Timers;
  readonly httpApi: LookoutHttpApi;
  readonly accessRole: AccessRole;
  readonly registryRole: RegistryRole;
  readonly alarms: LookoutAlarms;
  private readonly added: AddedReceivers;
  private readonly networks: readonly ClusterNetwork[];

  constructor(scope: Construct, id: string, props: LookoutProps = {}) {
    super(scope, id);
    const { encryptionKey, logRetention } = props;
    this.configuration = configurationOf(this, props);
    const { accounts } = this.configuration;
    this.table = new LookoutTable(this, "Table", { restored: props.table, key: encryptionKey });
    this.bus = new LookoutBus(this, "Bus", accounts);
    this.kept = privateQueue(this, "Kept", { retentionPeriod: Duration.days(14) });
    this.networks = networksOf(this, this.configuration.clusters).map((network) => new ClusterNetwork(this, network));
    this.functions = this.functionsOf(props);
    this.queues = new CommandQueues(this, "Queues", this.function("gate/dead-letter"), this.kept);
    this.timers = new Timers(this, "Timers", this.kept);
    this.httpApi = new LookoutHttpApi(this, "HttpApi", { logRetention, domain: props.domain });

    const all = [...this.functions.values()];
    const reaching = (part: Reach) => all.filter(({ route }) => route.reaches.includes(part));
    for (const fn of all) startByItsTrigger(fn, this);
    for (const fn of all) grantRouteParts(fn, this);
    this.timers.sendTo(this.queues);
    const evaluation = this.function("evaluate/image-pushed");
    new ImagePushes(this, "ImagePushes", {
      bus: this.bus.bus,
      queue: this.queues.queueOf(evaluation),
      kept: this.kept,
      memberAccounts: accounts,
    });
    for (const fn of reaching("told"))
      new ChannelRules(this, "Channels", {
        ...{ bus: this.bus.bus, queue: this.queues.queueOf(fn), kept: this.kept },
        channels: this.configuration.channels,
      });
    const webhooks = this.function("detect/registry-webhook");
    this.added = new AddedReceivers(this, "Receivers", {
      fn: webhooks,
      key: encryptionKey,
      known: this.configuration.receivers.map(({ name }) => name),
      onFirst: () => {
        startByWebhooks(webhooks, this);
      },
    });
    this.accessRole = new AccessRole(this, "AccessRole", reaching("clusters"), this.configuration);
    this.registryRole = new RegistryRole(this, "RegistryRole", reaching("registries"), this.configuration);
    enterClusters(this, this);
    refuseTooManyPolicies(this, [this.accessRole.role, this.registryRole.role, ...all.map(({ role }) => role)]);
    const watched = { functions: all, queues: this.queues.all, kept: this.kept, httpApi: this.httpApi };
    this.alarms = new LookoutAlarms(this, "Alarms", {
      watched,
      configured: this.configuration.alarms,
      ...props.monitoring,
    });
    new LookoutDashboard(this, "Dashboard", { ...watched, table: this.table.table, alarms: this.alarms.all });
    if (props.permissionsBoundary !== undefined) PermissionsBoundary.of(this).apply(props.permissionsBoundary);
    if (this.isSecond()) this.refuse();
    else writeOutputs(this, this);
  }

  /** The topic of all alarms. */
  get alarmTopic(): ITopic {
    return this.alarms.topic;
  }

  /** The security groups of the functions in VPCs, for rules such as `allowFrom(lookout, Port.tcp(443))`. */
  get connections(): Connections {
    return new Connections({ securityGroups: this.networks.flatMap(({ placement }) => placement.securityGroups) });
  }

  /**
   * Adds a receiver of notifications, with a secret that the stack creates.
   *
   * @param name - the last part of its URL
   */
  addReceiver(name: string, options: ReceiverOptions): AddedReceiver {
    const secret = this.added.add(name, options);
    return { secret, url: `${this.httpApi.url}/webhooks/${name}` };
  }

  /** Lets a grantee read everything that the API shows: `lookout status --stack NAME`. */
  grantRead(grantee: IGrantable): Grant {
    return grantRead(this.httpApi.api, grantee);
  }

  /** Lets a grantee read, and decide about updates of some namespaces: `lookout approve`. */
  grantApprove(grantee: IGrantable, options: ApproveOptions = {}): Grant {
    return grantApprove(this.httpApi.api, grantee, options);
  }

  /** Lets a grantee use the whole API: also freeze, import, and register clusters. */
  grantOperate(grantee: IGrantable): Grant {
    return grantOperate(this.httpApi.api, grantee);
  }

  /** Creates a rule for facts about updates (docs/events.md). */
  onFact(id: string, names: readonly [FactName, ...FactName[]], options: OnEventOptions = {}): Rule {
    return onFacts(this, id, { bus: this.bus.bus, names }, options);
  }

  /** Creates a rule for updates whose rollout failed, also if they were rolled back. */
  onUpdateFailed(id: string, options: OnEventOptions = {}): Rule {
    return this.onFact(id, ["RolloutFailed", "RollbackFailed"], options);
  }

  onRolledBack(id: string, options: OnEventOptions = {}): Rule {
    return this.onFact(id, ["RolledBack"], options);
  }

  onUpdateSucceeded(id: string, options: OnEventOptions = {}): Rule {
    return this.onFact(id, ["RolloutSucceeded"], options);
  }

  onApprovalRequested(id: string, options: OnEventOptions = {}): Rule {
    return this.onFact(id, ["ApprovalRequested"], options);
  }

  /** Returns a metric of this installation. @default - the sum over 5 minutes */
  metric(name: MetricName, options: MetricOptions = {}): Metric {
    return ownMetric(this, name, Stats.SUM).with(options);
  }

  /** Returns the milliseconds from a push until its image runs, without the wait at gates. @default - p95 */
  metricPushToRunning(options: MetricOptions = {}): Metric {
    return this.metric("PushToRunningMs", { statistic: Stats.percentile(95), ...options });
  }

  metricUpdatesSucceeded(options: MetricOptions = {}): Metric {
    return this.metric("UpdatesSucceeded", options);
  }

  metricUpdatesFailed(options: MetricOptions = {}): Metric {
    return this.metric("UpdatesFailed", options);
  }

  metricUpdatesRolledBack(options: MetricOptions = {}): Metric {
    return this.metric("UpdatesRolledBack", options);
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

  private functionsOf({
    functions = builtFunctions(),
    logRetention,
    tracing,
  }: LookoutProps): ReadonlyMap<FunctionName, LookoutFunction> {
    const { kept } = this;
    const code = codeWith(this.configuration, functions);
    return new Map(
      deployedRoutes(this.configuration).map((route) => {
        const networks = route.reaches.includes("clusters") ? this.networks : [];
        const props = { route, code, networks, kept, logRetention, tracing };
        return [functionName(route), new LookoutFunction(this, props)];
      }),
    );
  }
}

/** Returns the settings with the added clusters. */
function configurationOf(
  scope: Construct,
  { settings = Settings.fromFile(), clusters = [] }: LookoutProps,
): Configuration {
  const configuration = settings.bind(scope);
  const added = entriesOf(scope, clusters);
  const names = new Set(configuration.clusters.map(({ name }) => name));
  for (const { name } of added)
    if (names.has(name)) Annotations.of(scope).addError(`the settings have a cluster ${name} already`);
  return withoutKubeconfigs(scope, { ...configuration, clusters: [...configuration.clusters, ...added] });
}

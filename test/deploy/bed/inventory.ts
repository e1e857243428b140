/** The resources of the emulator's account, and those of a stack. */
import {
  CloudFormationClient,
  GetTemplateCommand,
  ListStackResourcesCommand,
  type StackResourceSummary,
} from "@aws-sdk/client-cloudformation";
import { requestSigner } from "#adapters/signature-v4/signer";
import { epochMs } from "#domain/shared/time";
import type { Resources } from "#test/lib/edits/identifiers";
import { type AwsOptions, region } from "./emulator.ts";

/** A resource, as `TYPE NAME`. The type is CloudFormation's. */
export type NamedResource = string;

interface Question {
  readonly type: string;
  /** The service of the signature. */
  readonly service: string;
  /** The path of a GET request, the parameters of a query, or the target and the body of a JSON request. */
  readonly ask:
    { readonly path: string } | { readonly query: string } | { readonly target: string; readonly body?: object };
  /** Finds the names in the answer, as the first group. */
  readonly names: RegExp;
}

/**
 * The questions for everything that a stack of Lookout, or its functions, can create. Alarms, archives
 * and access entries exist in templates only, because the emulator does not support them.
 */
const questions: readonly Question[] = [
  {
    type: "AWS::CloudWatch::Dashboard",
    service: "monitoring",
    ask: { target: "GraniteServiceVersion20100801.ListDashboards" },
    names: /"DashboardName": ?"([^"]+)"/g,
  },
  {
    type: "AWS::DynamoDB::GlobalTable",
    service: "dynamodb",
    ask: { target: "DynamoDB_20120810.ListTables" },
    names: /"([^"]+)"(?=[\],])/g,
  },
  {
    type: "AWS::EC2::SecurityGroup",
    service: "ec2",
    ask: { query: "Action=DescribeSecurityGroups&Version=2016-11-15" },
    names: /<groupId>([^<]+)<\/groupId>\s*<groupName>(?!default<)/g,
  },
  {
    type: "AWS::Events::EventBus",
    service: "events",
    ask: { target: "AWSEvents.ListEventBuses" },
    names: /"Name": ?"((?!default")[^"]+)"/g,
  },
  {
    type: "AWS::IAM::ManagedPolicy",
    service: "iam",
    ask: { query: "Action=ListPolicies&Version=2010-05-08&Scope=Local&MaxItems=1000" },
    names: /<PolicyName>([^<]+)/g,
  },
  {
    type: "AWS::IAM::Role",
    service: "iam",
    ask: { query: "Action=ListRoles&Version=2010-05-08&MaxItems=1000" },
    names: /<RoleName>([^<]+)/g,
  },
  {
    type: "AWS::Lambda::EventSourceMapping",
    service: "lambda",
    ask: { path: "2015-03-31/event-source-mappings/?MaxItems=1000" },
    names: /"UUID": ?"([^"]+)"/g,
  },
  {
    type: "AWS::Lambda::Function",
    service: "lambda",
    ask: { path: "2015-03-31/functions?MaxItems=1000" },
    names: /"FunctionName": ?"([^"]+)"/g,
  },
  {
    type: "AWS::Logs::LogGroup",
    service: "logs",
    ask: { target: "Logs_20140328.DescribeLogGroups", body: { limit: 50 } },
    names: /"logGroupName": ?"([^"]+)"/g,
  },
  {
    type: "AWS::SNS::Topic",
    service: "sns",
    ask: { query: "Action=ListTopics&Version=2010-03-31" },
    names: /<TopicArn>[^<]*:([^<:]+)</g,
  },
  {
    type: "AWS::SQS::Queue",
    service: "sqs",
    ask: { target: "AmazonSQS.ListQueues", body: { MaxResults: 1000 } },
    names: /"[^"]+\/([^"/]+)"(?=[\],])/g,
  },
  {
    type: "AWS::SSM::Parameter",
    service: "ssm",
    ask: { target: "AmazonSSM.DescribeParameters", body: { MaxResults: 50 } },
    names: /"Name": ?"([^"]+)"/g,
  },
  {
    type: "AWS::Scheduler::Schedule",
    service: "scheduler",
    ask: { path: "schedules?MaxResults=100" },
    names: /"Name": ?"([^"]+)"/g,
  },
  {
    type: "AWS::Scheduler::ScheduleGroup",
    service: "scheduler",
    ask: { path: "schedule-groups?MaxResults=100" },
    names: /"Name": ?"((?!default")[^"]+)"/g,
  },
  {
    type: "AWS::SecretsManager::Secret",
    service: "secretsmanager",
    ask: { target: "secretsmanager.ListSecrets", body: { MaxResults: 100, IncludePlannedDeletion: true } },
    names: /"ARN": ?"[^"]*:([^":]+)"/g,
  },
];

const api: Omit<Question, "ask" | "names"> = { type: "AWS::ApiGatewayV2::Api", service: "apigateway" };

/** Returns all resources of the account of the types that Lookout uses, sorted. */
export async function inventoryOf(options: AwsOptions): Promise<readonly NamedResource[]> {
  const asked = async (question: Question): Promise<readonly string[]> =>
    namesIn(question, await answerTo(question, options));
  const all = await Promise.all(
    questions.map(async (question) => (await asked(question)).map((name) => `${question.type} ${name}`)),
  );
  const buses = await asked({ ...rowOf("AWS::Events::EventBus"), names: /"Name": ?"([^"]+)"/g });
  const rules = buses.map(async (EventBusName) => {
    const ask = { target: "AWSEvents.ListRules", body: { EventBusName } };
    const names = await asked({ type: "AWS::Events::Rule", service: "events", ask, names: /"Name": ?"([^"]+)"/g });
    return names.map((name) => `AWS::Events::Rule ${name}`);
  });
  const apis = await asked({ ...api, ask: { path: "v2/apis" }, names: /"apiId": ?"([^"]+)"/g });
  const parts = apis.map(async (id) => {
    const routes = { ...api, ask: { path: `v2/apis/${id}/routes` }, names: /"routeId": ?"([^"]+)"/g };
    const integrations = { ...api, ask: { path: `v2/apis/${id}/integrations` }, names: /"integrationId": ?"([^"]+)"/g };
    return [
      `${api.type} ${id}`,
      ...(await asked(routes)).map((route) => `AWS::ApiGatewayV2::Route ${route}`),
      ...(await asked(integrations)).map((integration) => `AWS::ApiGatewayV2::Integration ${integration}`),
    ];
  });
  return [...all, ...(await Promise.all([...rules, ...parts]))].flat().toSorted();
}

function rowOf(type: string): Question {
  const row = questions.find((one) => one.type === type);
  if (row === undefined) throw new Error(`there is no question for ${type}`);
  return row;
}

/** The types that {@link inventoryOf} lists. */
const listed = new Set([
  ...questions.map(({ type }) => type),
  ...["AWS::ApiGatewayV2::Api", "AWS::ApiGatewayV2::Integration", "AWS::ApiGatewayV2::Route", "AWS::Events::Rule"],
]);

/** A deployed stack, as CloudFormation knows it. */
export interface StackState {
  /** The resources of the template, by logical id. */
  readonly template: Resources;
  /** The physical id of each resource, by logical id. */
  readonly ids: Readonly<Record<string, string>>;
  /** The resources that {@link inventoryOf} lists too, sorted. */
  readonly resources: readonly NamedResource[];
}

/** Reads a deployed stack. */
export async function stackState(options: AwsOptions, stack: string): Promise<StackState> {
  const client = new CloudFormationClient(options);
  const asked = new GetTemplateCommand({ StackName: stack, TemplateStage: "Original" });
  const { TemplateBody } = await client.send(asked);
  const { Resources: template } = readTemplate(TemplateBody ?? "");
  const summaries: StackResourceSummary[] = [];
  for (let next: string | undefined, more = true; more; more = next !== undefined) {
    const page = await client.send(
      new ListStackResourcesCommand({ StackName: stack, ...(next === undefined ? {} : { NextToken: next }) }),
    );
    summaries.push(...(page.StackResourceSummaries ?? []));
    next = page.NextToken;
  }
  const rows = summaries.map(
    ({ LogicalResourceId: id = "", PhysicalResourceId: physical = "", ResourceType: type = "" }) => ({
      ...{ id, physical, type },
    }),
  );
  return {
    template,
    ids: Object.fromEntries(rows.map(({ id, physical }) => [id, physical])),
    resources: rows
      .filter(({ type }) => listed.has(type))
      .map(({ type, physical }) => `${type} ${nameOf(type, physical)}`)
      .toSorted(),
  };
}

/** Returns the resources of a template. The template of `cdk bootstrap` is YAML and has none here. */
function readTemplate(body: string): { readonly Resources: Resources } {
  return body.startsWith("{") ? (JSON.parse(body) as { readonly Resources: Resources }) : { Resources: {} };
}

/** Returns the last part of a physical id that is a URL, an ARN or a path. Other names may contain slashes. */
function nameOf(type: string, physical: string): string {
  const hasPath = ["AWS::SQS::Queue", "AWS::SNS::Topic", "AWS::SecretsManager::Secret"].includes(type);
  return hasPath || type.startsWith("AWS::ApiGatewayV2::") ? (physical.split(/[/:]/).at(-1) ?? "") : physical;
}

function namesIn({ type, names }: Question, answer: string): readonly string[] {
  if (/"[nN]ext(?:Token|Marker)": ?"|<NextToken>[^<]|<IsTruncated>true/.test(answer))
    throw new Error(`the emulator has more than one page of ${type}`);
  return [...answer.matchAll(names)].map(([, name = ""]) => name);
}

/** Asks the emulator. No clients of most services are among the dependencies. */
async function answerTo({ service, ask }: Question, { endpoint, credentials }: AwsOptions): Promise<string> {
  const request = requestOf(ask, endpoint);
  const sign = requestSigner(() => Promise.resolve(credentials), { region, service });
  const headers = await sign(request, epochMs(Date.now()));
  const { method, url, body } = request;
  const response = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) });
  const answer = await response.text();
  if (!response.ok) throw new Error(`${service}: ${response.status} ${answer}`);
  return answer;
}

function requestOf(ask: Question["ask"], endpoint: string) {
  if ("path" in ask) return { method: "GET", url: `${endpoint}/${ask.path}`, headers: {} };
  const [type, body, target] =
    "query" in ask
      ? ["application/x-www-form-urlencoded", ask.query, {}]
      : ["application/x-amz-json-1.1", JSON.stringify(ask.body ?? {}), { "x-amz-target": ask.target }];
  return { method: "POST", url: `${endpoint}/`, headers: { "content-type": type, ...target }, body };
}

/** The primary identifiers of resources, as the schemas of CloudFormation name them. */

/** A resource of a template. */
export interface Resource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
}

/** The resources of a template by their logical ids. */
export type Resources = Readonly<Record<string, Resource>>;

/**
 * The properties that identify a resource, by type. A resource without one of them has a generated
 * identifier, and so has a type with an empty list. AWS refuses a second resource with the same
 * identifier, or lets the second resource overwrite the first.
 */
export const identifiers: Readonly<Record<string, readonly string[]>> = {
  "AWS::ApiGatewayV2::Api": [],
  "AWS::ApiGatewayV2::Integration": [],
  "AWS::ApiGatewayV2::Route": ["ApiId", "RouteKey"],
  "AWS::ApiGatewayV2::Stage": ["ApiId", "StageName"],
  "AWS::CloudWatch::Alarm": ["AlarmName"],
  "AWS::CloudWatch::Dashboard": ["DashboardName"],
  "AWS::DynamoDB::GlobalTable": ["TableName"],
  "AWS::EC2::SecurityGroup": ["GroupName", "VpcId"],
  "AWS::EKS::AccessEntry": ["ClusterName", "PrincipalArn"],
  "AWS::Events::Archive": ["ArchiveName"],
  "AWS::Events::EventBus": ["Name"],
  "AWS::Events::EventBusPolicy": ["EventBusName", "StatementId"],
  "AWS::Events::Rule": ["Name"],
  "AWS::IAM::ManagedPolicy": ["ManagedPolicyName"],
  "AWS::IAM::Policy": ["PolicyName", "Roles"],
  "AWS::IAM::Role": ["RoleName"],
  "AWS::Lambda::EventInvokeConfig": ["FunctionName", "Qualifier"],
  "AWS::Lambda::EventSourceMapping": ["EventSourceArn", "FunctionName"],
  "AWS::Lambda::Function": ["FunctionName"],
  "AWS::Lambda::Permission": [],
  "AWS::Logs::LogGroup": ["LogGroupName"],
  "AWS::Logs::MetricFilter": ["LogGroupName", "FilterName"],
  // SNS answers a second subscription with the first, which the deletion of the first then removes.
  "AWS::SNS::Subscription": ["TopicArn", "Protocol", "Endpoint"],
  "AWS::SNS::Topic": ["TopicName"],
  "AWS::SNS::TopicPolicy": ["Topics"],
  "AWS::SQS::Queue": ["QueueName"],
  "AWS::SQS::QueuePolicy": ["Queues"],
  "AWS::Scheduler::Schedule": ["Name", "GroupName"],
  "AWS::Scheduler::ScheduleGroup": ["Name"],
};

/**
 * Returns each resource of a new template whose identifier belongs to a resource with another
 * logical id in the old template. CloudFormation creates and changes resources before it deletes
 * others, so AWS refuses such a template.
 */
export function clashesOf(before: Resources, after: Resources): readonly string[] {
  const holders = new Map(
    Object.entries(before).flatMap(([id, resource]) => {
      const identifier = identifierOf(resource);
      return identifier === undefined ? [] : [[identifier, id] as const];
    }),
  );
  return Object.entries(after).flatMap(([id, resource]) => {
    const identifier = identifierOf(resource);
    const holder = identifier === undefined ? undefined : holders.get(identifier);
    return holder === undefined || holder === id ? [] : [`${id} is ${holder}: ${identifier ?? ""}`];
  });
}

/** @throws Error for a type without a row in {@link identifiers}. */
function identifierOf({ Type, Properties = {} }: Resource): string | undefined {
  const names = identifiers[Type];
  if (names === undefined) throw new Error(`add a row for ${Type} to test/lib/edits/identifiers.ts`);
  const values = names.map((name) => Properties[name]);
  return names.length === 0 || values.includes(undefined) ? undefined : JSON.stringify([Type, ...values]);
}

/** The resources of a template, by their logical ids. */
export type Resources = Readonly<
  Record<string, { readonly Type: string; readonly Properties?: Readonly<Record<string, unknown>> }>
>;

/** The ARN of each type of resource that policies name, up to the resource's name. */
const arns: Readonly<Record<string, string>> = {
  "AWS::DynamoDB::GlobalTable": "dynamodb:us-east-1:111122223333:table/",
  "AWS::Events::EventBus": "events:us-east-1:111122223333:event-bus/",
  "AWS::Events::Rule": "events:us-east-1:111122223333:rule/",
  "AWS::IAM::Role": "iam::111122223333:role/",
  "AWS::Lambda::Function": "lambda:us-east-1:111122223333:function:",
  "AWS::Logs::LogGroup": "logs:us-east-1:111122223333:log-group:",
  "AWS::SNS::Topic": "sns:us-east-1:111122223333:",
  "AWS::SQS::Queue": "sqs:us-east-1:111122223333:",
  "AWS::Scheduler::ScheduleGroup": "scheduler:us-east-1:111122223333:schedule-group/",
};

/** The ends of attributes with more than the ARN. parliament can't read the colons of a stream's time. */
const ends: Readonly<Record<string, string>> = {
  "AWS::DynamoDB::GlobalTable StreamArn": "/stream/2026",
  "AWS::Logs::LogGroup Arn": ":*",
};
const pseudo: Readonly<Record<string, string>> = {
  "AWS::Partition": "aws",
  "AWS::Region": "us-east-1",
  "AWS::AccountId": "111122223333",
};

/**
 * Returns the identity policies and the resource policies by their logical ids, as AWS has them
 * after a deployment. Trust policies are not among them.
 */
export function policiesOf(resources: Resources): ReadonlyMap<string, unknown> {
  const found = new Map<string, unknown>();
  for (const [id, { Type, Properties = {} }] of Object.entries(resources)) {
    const { PolicyDocument: document, Statement: statement } = Properties;
    if (document !== undefined) found.set(id, deployed(document, resources));
    if (Type === "AWS::Events::EventBusPolicy")
      found.set(id, { Version: "2012-10-17", Statement: [deployed(statement, resources)] });
  }
  return found;
}

interface Intrinsic {
  readonly Ref?: string;
  readonly "Fn::GetAtt"?: readonly [string, string];
  readonly "Fn::Join"?: readonly [string, readonly unknown[]];
}

/** Replaces what CloudFormation replaces. */
function deployed(value: unknown, resources: Resources): unknown {
  if (Array.isArray(value)) return value.map((one) => deployed(one, resources));
  if (typeof value !== "object" || value === null) return value;
  const { Ref: ref, "Fn::GetAtt": attribute, "Fn::Join": joined } = value as Intrinsic;
  if (ref !== undefined) return pseudo[ref] ?? arnOf(ref, "Ref", resources);
  if (attribute !== undefined) return arnOf(...attribute, resources);
  if (joined !== undefined) return joined[1].map((one) => deployed(one, resources)).join(joined[0]);
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, deployed(one, resources)]));
}

function arnOf(id: string, attribute: string, resources: Resources): string {
  const type = resources[id]?.Type ?? "";
  const start = arns[type];
  if (start === undefined) throw new Error(`a policy names ${id} of the type ${type}: add a row to arns`);
  return `arn:aws:${start}${id}${ends[`${type} ${attribute}`] ?? ""}`;
}

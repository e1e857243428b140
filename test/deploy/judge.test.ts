import { DynamoDBClient, GetItemCommand, TransactWriteItemsCommand } from "@aws-sdk/client-dynamodb";
import { EventBridgeClient, PutEventsCommand, PutRuleCommand, PutTargetsCommand } from "@aws-sdk/client-eventbridge";
import {
  CreateScheduleCommand,
  CreateScheduleGroupCommand,
  ListSchedulesCommand,
  SchedulerClient,
} from "@aws-sdk/client-scheduler";
import { CreateQueueCommand, SendMessageBatchCommand, SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { AssumeRoleCommand, STSClient } from "@aws-sdk/client-sts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { requestSigner } from "#adapters/signature-v4/signer";
import { epochMs } from "#domain/shared/time";
import { until } from "#test/cluster/bed/until";
import { roleArn } from "./bed/callers.ts";
import { account, type AwsOptions, type Emulator, type RefusedCall, region, startEmulator } from "./bed/emulator.ts";

let emulator: Emulator;
let before: readonly RefusedCall[] = [];

beforeAll(async () => {
  emulator = await startEmulator();
});

afterAll(() => emulator.stop());

/** Returns the new faults, each as one text. */
async function faults(): Promise<readonly string[]> {
  const { faults: all } = await emulator.state();
  const known = new Set(before.map((fault) => JSON.stringify(fault)));
  before = all;
  return all
    .filter((fault) => !known.has(JSON.stringify(fault)))
    .map(({ function: name, operation, member, why }) => [name, operation, member, why].join(" | "));
}

/** Sends a request to IAM. No client of IAM is among the dependencies. */
async function iam(parameters: Readonly<Record<string, string>>): Promise<void> {
  const body = new URLSearchParams({ Version: "2010-05-08", ...parameters }).toString();
  const url = `${emulator.endpoint}/`;
  const sign = requestSigner(() => Promise.resolve(emulator.aws.credentials), { region, service: "iam" });
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const signed = await sign({ method: "POST", url, headers, body }, epochMs(Date.now()));
  const response = await fetch(url, { method: "POST", headers: signed, body });
  if (!response.ok) throw new Error(await response.text());
}

function policyOf(more: object): string {
  return JSON.stringify({ Version: "2012-10-17", Statement: [{ Effect: "Allow", ...more }] });
}

/** Returns the options of a function's clients, with a session of a role that may send to one queue. */
async function functionOf(role: string, queue: string): Promise<AwsOptions & { readonly userAgentAppId: string }> {
  const trust = policyOf({ Principal: { AWS: `arn:aws:iam::${account}:root` }, Action: "sts:AssumeRole" });
  const policy = policyOf({ Action: "sqs:SendMessage", Resource: `arn:aws:sqs:${region}:${account}:${queue}` });
  await iam({ Action: "CreateRole", RoleName: role, AssumeRolePolicyDocument: trust });
  await iam({ Action: "PutRolePolicy", RoleName: role, PolicyName: "sends", PolicyDocument: policy });
  const asked = new AssumeRoleCommand({ RoleArn: roleArn(role), RoleSessionName: "run" });
  const { Credentials: given } = await new STSClient(emulator.aws).send(asked);
  const credentials = {
    accessKeyId: given?.AccessKeyId ?? "",
    secretAccessKey: given?.SecretAccessKey ?? "",
    sessionToken: given?.SessionToken ?? "",
  };
  return { ...emulator.aws, credentials, userAgentAppId: `Test-${role}` };
}

async function queueOf(name: string): Promise<string> {
  const { QueueUrl } = await new SQSClient(emulator.aws).send(new CreateQueueCommand({ QueueName: name }));
  return QueueUrl ?? "";
}

describe("a call of a function", () => {
  it("that its role allows is no fault, and another is reported with its resource", async () => {
    const [mine, other] = [await queueOf("mine"), await queueOf("other")];
    const sqs = new SQSClient(await functionOf("sender", "mine"));
    await sqs.send(new SendMessageCommand({ QueueUrl: mine, MessageBody: "a" }));
    await sqs.send(new SendMessageBatchCommand({ QueueUrl: mine, Entries: [{ Id: "a", MessageBody: "a" }] }));
    expect(await faults()).toEqual([]);

    await sqs.send(new SendMessageCommand({ QueueUrl: other, MessageBody: "a" }));
    expect(await faults()).toEqual([
      `Test-sender | sqs:SendMessage | arn:aws:sqs:${region}:${account}:other | no policy allows it`,
    ]);
  });

  it("of DynamoDB is reported with its table", async () => {
    const db = new DynamoDBClient(await functionOf("reader", "mine"));
    await db.send(new GetItemCommand({ TableName: "t-1", Key: { pk: { S: "a" } } })).catch(() => undefined);
    expect(await faults()).toEqual([
      `Test-reader | dynamodb:GetItem | arn:aws:dynamodb:${region}:${account}:table/t-1 | no policy allows it`,
    ]);
  });

  it("that gives its schedule a role is reported without the right to pass the role", async () => {
    const command = new CreateScheduleCommand({
      Name: "later",
      GroupName: "mine",
      ScheduleExpression: "at(2030-01-01T00:00:00)",
      FlexibleTimeWindow: { Mode: "OFF" },
      Target: { Arn: `arn:aws:sqs:${region}:${account}:mine`, RoleArn: roleArn("sender") },
    });
    await new SchedulerClient(await functionOf("planner", "mine")).send(command).catch(() => undefined);
    expect(await faults()).toEqual([
      `Test-planner | scheduler:CreateSchedule | arn:aws:scheduler:${region}:${account}:schedule/mine/later | no policy allows it`,
      `Test-planner | iam:PassRole | ${roleArn("sender")} | no policy allows it`,
    ]);
  });

  it("that assumes a role is reported when it has no right, and when the role does not trust it", async () => {
    const sts = new STSClient(await functionOf("guest", "mine"));
    const trust = policyOf({ Principal: { Service: "events.amazonaws.com" }, Action: "sts:AssumeRole" });
    await iam({ Action: "CreateRole", RoleName: "closed", AssumeRolePolicyDocument: trust });
    await sts.send(new AssumeRoleCommand({ RoleArn: roleArn("closed"), RoleSessionName: "run" }));
    expect(await faults()).toEqual([
      `Test-guest | sts:AssumeRole | ${roleArn("closed")} | no policy allows it`,
      `Test-guest | sts:AssumeRole | ${roleArn("closed")} | the role does not trust the caller`,
    ]);
  });
});

describe("a delivery of AWS", () => {
  it("to a queue is reported when the queue's policy does not allow it", async () => {
    const queue = (name: string): string => `arn:aws:sqs:${region}:${account}:${name}`;
    const Policy = policyOf({
      Principal: { Service: "events.amazonaws.com" },
      Action: "sqs:SendMessage",
      Resource: queue("open"),
    });
    const sqs = new SQSClient(emulator.aws);
    await sqs.send(new CreateQueueCommand({ QueueName: "open", Attributes: { Policy } }));
    await queueOf("shut");
    const events = new EventBridgeClient(emulator.aws);
    await events.send(new PutRuleCommand({ Name: "all", EventPattern: JSON.stringify({ source: ["test"] }) }));
    const Targets = ["open", "shut"].map((name) => ({ Id: name, Arn: queue(name) }));
    await events.send(new PutTargetsCommand({ Rule: "all", Targets }));
    const entry = { Source: "test", DetailType: "Tested", Detail: "{}" };
    await events.send(new PutEventsCommand({ Entries: [entry] }));

    expect(await faults()).toEqual([
      `events.amazonaws.com | sqs:SendMessage | ${queue("shut")} | the policy of the queue does not allow it`,
    ]);
  });

  it.each([
    { group: "here", reported: [] },
    { group: "there", reported: ["the role does not trust the service"] },
  ])(
    "with a role that trusts one group of schedules, by a schedule of $group: $reported",
    async ({ group, reported }) => {
      const role = `of-${group}`;
      const trusts = `arn:aws:scheduler:${region}:${account}:schedule-group/here`;
      const trust = policyOf({
        Principal: { Service: "scheduler.amazonaws.com" },
        Action: "sts:AssumeRole",
        Condition: { StringEquals: { "aws:SourceAccount": account, "aws:SourceArn": trusts } },
      });
      const queue = `arn:aws:sqs:${region}:${account}:mine`;
      await iam({ Action: "CreateRole", RoleName: role, AssumeRolePolicyDocument: trust });
      const policy = policyOf({ Action: "sqs:SendMessage", Resource: queue });
      await iam({ Action: "PutRolePolicy", RoleName: role, PolicyName: "sends", PolicyDocument: policy });
      const scheduler = new SchedulerClient(emulator.aws);
      await scheduler.send(new CreateScheduleGroupCommand({ Name: group }));
      const command = new CreateScheduleCommand({
        ...{ Name: "once", GroupName: group, ScheduleExpression: "at(2020-01-01T00:00:00)" },
        ...{ FlexibleTimeWindow: { Mode: "OFF" }, ActionAfterCompletion: "DELETE" },
        Target: { Arn: queue, RoleArn: roleArn(role) },
      });
      await scheduler.send(command);
      await until("the schedule has run", async () => {
        const { Schedules = [] } = await scheduler.send(new ListSchedulesCommand({ GroupName: group }));
        return Schedules.length === 0 || undefined;
      });

      expect((await faults()).map((fault) => fault.split(" | ").at(-1))).toEqual(reported);
    },
  );
});

describe("an invalid call", () => {
  it("is reported with its service, operation and member", async () => {
    const sqs = new SQSClient(emulator.aws);
    const url = await queueOf("late");
    await sqs
      .send(new SendMessageCommand({ QueueUrl: url, MessageBody: "a", DelaySeconds: 901 }))
      .catch(() => undefined);
    expect(await faults()).toEqual([" | sqs:SendMessage | DelaySeconds | 901 is not from 0 to 900"]);
  });

  it("of the scheduler is found in the path and in the body", async () => {
    const command = new CreateScheduleCommand({
      Name: "a b",
      ScheduleExpression: "at(2030-01-01T00:00:00)",
      FlexibleTimeWindow: { Mode: "SOMETIMES" as "OFF" },
      Target: { Arn: "arn:aws:sqs:us-east-1:000000000000:late", RoleArn: roleArn("sender") },
    });
    await new SchedulerClient(emulator.aws).send(command).catch(() => undefined);
    expect(await faults()).toEqual([
      " | scheduler:CreateSchedule | FlexibleTimeWindow.Mode | SOMETIMES is not one of OFF, FLEXIBLE",
      " | scheduler:CreateSchedule | Name | a b does not match ^[0-9a-zA-Z-_.]+$",
    ]);
  });

  it("of DynamoDB is found: an item twice in a transaction", async () => {
    const Put = { TableName: "t-1", Item: { pk: { S: "a" }, sk: { S: "b" } } };
    const command = new TransactWriteItemsCommand({ TransactItems: [{ Put }, { Put }] });
    await new DynamoDBClient(emulator.aws).send(command).catch(() => undefined);
    expect(await faults()).toEqual([" | dynamodb:TransactWriteItems | TransactItems | two operations on one item"]);
  });
});

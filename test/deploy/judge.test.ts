import { DynamoDBClient, GetItemCommand, TransactWriteItemsCommand } from "@aws-sdk/client-dynamodb";
import { CreateScheduleCommand, SchedulerClient } from "@aws-sdk/client-scheduler";
import { CreateQueueCommand, SendMessageBatchCommand, SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { AssumeRoleCommand, STSClient } from "@aws-sdk/client-sts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { requestSigner } from "#adapters/signature-v4/signer";
import { epochMs } from "#domain/shared/time";
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

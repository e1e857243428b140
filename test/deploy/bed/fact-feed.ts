import { EventBridgeClient, PutRuleCommand, PutTargetsCommand } from "@aws-sdk/client-eventbridge";
import {
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { registryFactNames } from "#domain/registry/outage";
import type { Fact, FactName } from "#domain/update/events";
import { until } from "#test/cluster/bed/until";
import type { AwsOptions } from "./emulator.ts";

/** All facts about workloads on Lookout's bus, from a rule of the test. */
export interface FactFeed {
  readonly facts: readonly Fact[];
  /** Returns the facts about a Deployment, in order of arrival. */
  of(deployment: string): readonly Fact[];
  /**
   * Waits for a fact about a Deployment, optionally of one update. A failure names the received
   * facts.
   */
  fact(name: FactName, deployment: string, seq?: number, timeoutMs?: number): Promise<Fact>;
  stop(): Promise<void>;
}

/** The policy of a queue that takes events of all rules. */
const fromRules = JSON.stringify({
  Version: "2012-10-17",
  Statement: [
    { Effect: "Allow", Principal: { Service: "events.amazonaws.com" }, Action: "sqs:SendMessage", Resource: "*" },
  ],
});

/** Creates a rule on the bus with a queue of the test, and reads this queue. */
export async function followFacts(options: AwsOptions, bus: string): Promise<FactFeed> {
  const sqs = new SQSClient(options);
  const { QueueUrl: queue = "" } = await sqs.send(
    new CreateQueueCommand({ QueueName: "facts-of-the-test", Attributes: { Policy: fromRules } }),
  );
  await target(options, bus, await arnOf(sqs, queue));
  const facts: Fact[] = [];
  const seen = new Set<string>();
  const stopping = new AbortController();
  const reading = (async () => {
    while (!stopping.signal.aborted) {
      for (const fact of await take(sqs, queue)) {
        if (!isAboutWorkload(fact) || seen.has(fact.id)) continue;
        seen.add(fact.id);
        facts.push(fact);
      }
    }
  })();
  const of = (deployment: string): readonly Fact[] => facts.filter(({ workload }) => workload.name === deployment);
  return {
    facts,
    of,
    fact: (name, deployment, seq, timeoutMs = 60_000) =>
      until(
        `${name} of ${deployment}`,
        async () => of(deployment).find((fact) => fact.name === name && (seq === undefined || fact.seq === seq)),
        { timeoutMs, intervalMs: 20 },
      ).catch((error: unknown) => {
        const came = of(deployment).map((fact) => `${fact.name} ${fact.seq}`);
        throw new Error(`${String(error)}; what came: ${came.join(", ") || "nothing"}`);
      }),
    async stop() {
      stopping.abort();
      await reading;
    },
  };
}

async function arnOf(sqs: SQSClient, QueueUrl: string): Promise<string> {
  const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["QueueArn"] }));
  return Attributes?.["QueueArn"] ?? "";
}

async function target(options: AwsOptions, bus: string, queueArn: string): Promise<void> {
  const events = new EventBridgeClient(options);
  const rule = { Name: "facts-of-the-test", EventBusName: bus };
  const others = ["ImagePushed", ...registryFactNames];
  const EventPattern = JSON.stringify({ source: ["lookout"], "detail-type": [{ "anything-but": others }] });
  await events.send(new PutRuleCommand({ ...rule, EventPattern }));
  const Targets = [{ Id: "queue", Arn: queueArn, InputPath: "$.detail" }];
  await events.send(new PutTargetsCommand({ Rule: rule.Name, EventBusName: bus, Targets }));
}

/** A fact about a registry has no workload. */
function isAboutWorkload(fact: object): fact is Fact {
  return "workload" in fact;
}

async function take(sqs: SQSClient, QueueUrl: string): Promise<readonly object[]> {
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 1 }),
  );
  const Entries = Messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
  if (Entries.length > 0) await sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
  return Messages.map(({ Body = "" }) => JSON.parse(Body) as object);
}

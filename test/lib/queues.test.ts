import { describe, expect, it } from "vitest";
import { functionName, type FunctionName } from "#contracts/routes";
import { allRoutes, deploy, type Properties } from "./deployed.ts";

const stack = deploy();
const queues = stack.resources("AWS::SQS::Queue");
const mappings = [...stack.resources("AWS::Lambda::EventSourceMapping").values()];
const queued = allRoutes
  .filter(({ trigger }) => trigger.kind === "command" || trigger.kind === "event" || trigger.kind === "dead-letter")
  .map((route) => ({ title: functionName(route), route }));

const idIn = (value: unknown): string => stack.text(value).replaceAll(/[<>]|\.Arn/g, "");
const kept = [...queues.keys()].find((id) => id.startsWith("LookoutKept")) ?? "";

/** What reads a function's messages, and the queue that they come from. */
function sourceOf(name: FunctionName): {
  readonly mapping: Properties;
  readonly queue: Properties;
  readonly id: string;
} {
  const own = stack.lookout.function(name).node.id.replaceAll("-", "");
  const [mapping, ...others] = mappings.filter(({ FunctionName: id }) => idIn(id).startsWith(`Lookout${own}Function`));
  if (mapping === undefined || others.length > 0) throw new Error(`${name} has not one source`);
  const id = idIn(mapping["EventSourceArn"]);
  return { mapping, id, queue: queues.get(id) ?? {} };
}

const deadLetters = sourceOf("gate/dead-letter").id;

describe.each(queued)("the queue of $title", ({ title, route }) => {
  const { mapping, queue } = sourceOf(title);

  it("hides a message for six runs of the function", () => {
    expect(queue).toMatchObject({ VisibilityTimeout: (6 * route.timeoutMs) / 1_000 });
  });

  it("drops a message after five deliveries into the dead-letter queue, and a letter after ten into the kept messages", () => {
    const { deadLetterTargetArn, maxReceiveCount } = queue["RedrivePolicy"] as Properties;

    expect([idIn(deadLetterTargetArn), maxReceiveCount]).toEqual(
      route.trigger.kind === "dead-letter" ? [kept, 10] : [deadLetters, 5],
    );
  });

  it("has no order, so that no message waits for another", () => {
    expect(queue).not.toHaveProperty("FifoQueue");
  });

  it("delivers batches, of which each message succeeds or fails alone", () => {
    const BatchSize = "stackBatchSize" in route ? route.stackBatchSize : 10;
    expect(mapping).toMatchObject({ BatchSize, FunctionResponseTypes: ["ReportBatchItemFailures"] });
  });

  it("delivers to as many runs as the route table allows", () => {
    expect(route.stackConcurrency).toBeGreaterThanOrEqual(2);
    expect(mapping["ScalingConfig"]).toEqual({ MaximumConcurrency: route.stackConcurrency });
  });

  it("lets ten messages at most send patches at the same time", () => {
    if (title !== "rollout/roll-out") return;
    expect((route.stackConcurrency ?? 0) * (route.stackBatchSize ?? 10)).toBe(10);
  });

  it("collects checks of rollouts for a second, and delivers all other commands at once", () => {
    expect(mapping["MaximumBatchingWindowInSeconds"]).toBe(title === "verify/check-rollout" ? 1 : undefined);
  });
});

describe("every queue", () => {
  it("is the source of one function, or has the kept messages of all", () => {
    const known = [...queued.map(({ title }) => sourceOf(title).id), kept];

    expect([...queues.keys()].toSorted()).toEqual(known.toSorted());
  });

  it("is encrypted, keeps messages for two weeks, and is reached by TLS alone", () => {
    const policies = [...stack.resources("AWS::SQS::QueuePolicy").values()];
    const refusingPlainText = policies
      .filter(({ PolicyDocument }) => JSON.stringify(PolicyDocument).includes(`"aws:SecureTransport":"false"`))
      .flatMap(({ Queues }) => (Queues as readonly unknown[]).map(idIn));

    expect([...queues.values()]).toEqual(
      [...queues.values()].map(
        () => expect.objectContaining({ SqsManagedSseEnabled: true, MessageRetentionPeriod: 1_209_600 }) as unknown,
      ),
    );
    expect(refusingPlainText.toSorted()).toEqual([...queues.keys()].toSorted());
  });
});

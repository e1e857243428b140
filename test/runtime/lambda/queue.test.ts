import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sealEnvelope } from "#contracts/messages/envelope";
import { queueVariable } from "#contracts/aws/environment";
import { epochMs } from "#domain/shared/time";
import type { Wake } from "#domain/update/commands";
import { PermanentError, TransientError } from "#ports/errors";
import { onCommands } from "#runtime/handler";
import { queueShell } from "#runtime/lambda/queue";
import type { LambdaHandler } from "#runtime/lambda/shell";
import { ownQueue } from "#runtime/lambda/wiring/own-queue";
import { queues } from "#runtime/lambda/wiring/queues";
import { table } from "#runtime/lambda/wiring/table";
import { batch, contextOf, type LambdaStage, lambdaStage, queueUrls } from "./stage.ts";

let stage: LambdaStage;
beforeEach(async () => {
  stage = await lambdaStage();
});
afterEach(() => stage.close());

const workload = { cluster: "prod", namespace: "shop", kind: "Deployment", name: "api" } as const;
const wake = (version: number, more = {}): string =>
  JSON.stringify({ name: "Wake", workload, uid: "u", seq: 1, version, ...more });
const done = { batchItemFailures: [] };
const again = (...ids: readonly string[]): SQSBatchResponse => ({
  batchItemFailures: ids.map((itemIdentifier) => ({ itemIdentifier })),
});

type Step = (command: Wake, ports: unknown, signal: AbortSignal) => Promise<unknown>;

function functionOf(step: Step): LambdaHandler<SQSEvent, SQSBatchResponse> {
  return queueShell(onCommands({ Wake: step }), stage.settings("gate/wake", [ownQueue, queues, table]));
}

describe("a batch of messages", () => {
  it("is acknowledged except for the failed message", async () => {
    const handler = functionOf(async ({ version }) => {
      if (version === 2) throw new TransientError("the cluster is away");
      return { kind: "woken" };
    });

    expect(await handler(batch(wake(1), wake(2), wake(3)), contextOf())).toEqual(again("m1"));
    expect(returned()).toEqual([["m1", 1]]);
  });

  it.each([
    { receives: 1, afterSeconds: 1 },
    { receives: 2, afterSeconds: 5 },
    { receives: 3, afterSeconds: 60 },
    { receives: 4, afterSeconds: 120 },
    { receives: 5, afterSeconds: 0 },
  ])(
    "gets a message again after $afterSeconds s when delivery $receives failed",
    async ({ receives, afterSeconds }) => {
      const handler = functionOf(async () => {
        throw new TransientError("the cluster is away");
      });

      await handler(received(receives, batch(wake(1), wake(2))), contextOf());

      expect(returned()).toEqual([
        ["m0", afterSeconds],
        ["m1", afterSeconds],
      ]);
      expect(stage.lines()).toContainEqual(
        expect.objectContaining({ MessagesFailed: 2, stage: "gate", function: "gate/wake" }),
      );
    },
  );

  it("is answered although SQS does not shorten a timeout, and says so in the log", async () => {
    const handler = functionOf(async () => {
      throw new TransientError("the cluster is away");
    });
    stage.aws.answerNext({ error: "AccessDenied" });

    expect(await handler(batch(wake(1)), contextOf())).toEqual(again("m0"));
    expect(stage.output()).toContain("SQS failed while shortening the visibility timeout of 1 messages of wake");
  });

  it("logs one line for each message, with the id of its push", async () => {
    const handler = functionOf(async ({ version }) => {
      if (version === 2) throw new TransientError("the cluster is away", { cause: new Error("ECONNREFUSED") });
      return { kind: "woken" };
    });

    await handler(batch(wake(1, { correlationId: "push-1" }), wake(2, { correlationId: "push-2" })), contextOf());

    const line = { service: "lookout", function: "gate/wake" };
    expect(stage.lines().filter((one) => !("_aws" in one))).toEqual([
      {
        ...line,
        ...{ level: "INFO", message: "done", id: "m0", correlationId: "push-1", outcome: { kind: "woken" } },
      },
      {
        ...line,
        ...{ level: "ERROR", message: "failed", requestId: "request-1", id: "m1", correlationId: "push-2" },
        error: {
          ...{ name: "TransientError", message: "the cluster is away" },
          cause: { name: "Error", message: "ECONNREFUSED", stack: expect.any(Array) as unknown },
        },
      },
    ]);
  });

  it("has no line in the log for a sweep that found nothing", async () => {
    const handler = functionOf(async () => ({ kind: "nothing-new", workloads: 3, eventsMissed: 0 }));

    await handler(batch(wake(1)), contextOf());

    expect(stage.lines()).toEqual([]);
  });

  it("keeps a malformed message at once, and handles the other messages", async () => {
    const seen: number[] = [];
    const handler = functionOf(async ({ version }) => seen.push(version));

    expect(await handler(batch(wake(1), "{", wake(3)), contextOf())).toEqual(done);
    expect({ seen, sent: stage.aws.asked.map(({ input }) => input) }).toEqual({
      seen: [1, 3],
      sent: [keptLetter({ body: "{", why: "the message can't be parsed" })],
    });
  });

  it("sets a message aside that no delivery can help", async () => {
    const handler = functionOf(async () => {
      throw new PermanentError("the record is of another version");
    });

    expect(await handler(batch(wake(1)), contextOf())).toEqual(done);
    expect(stage.aws.asked.map(({ input }) => input)).toEqual([
      letterTo(queueUrls.deadLetter, { body: wake(1), why: "the record is of another version", isPermanent: true }),
    ]);
  });

  it("gets a message again after a failure to set it aside", async () => {
    stage.aws.answerNext({ error: "AccessDenied" });

    expect(await functionOf(async () => undefined)(batch("{"), contextOf())).toEqual(again("m0"));
  });
});

describe("a delayed message", () => {
  const sealed = (aheadMs: number): string =>
    sealEnvelope({ notBefore: epochMs(Date.now() + aheadMs), body: wake(1), group: "prod" });

  it("is handled at its time", async () => {
    const seen: Wake[] = [];

    await functionOf(async (command) => seen.push(command))(batch(sealed(-1)), contextOf());

    expect(seen).toEqual([JSON.parse(wake(1))]);
  });

  it("is sent again for the rest of its delay when it is early, and other messages are handled", async () => {
    const seen: number[] = [];
    const early = sealed(90_000);

    const response = await functionOf(async ({ version }) => seen.push(version))(batch(early, wake(2)), contextOf());

    expect({ response, seen }).toEqual({ response: done, seen: [2] });
    expect(stage.aws.asked.map(({ input }) => input)).toEqual([
      {
        QueueUrl: queueUrls.wake,
        Entries: [{ Id: "0", MessageBody: early, MessageGroupId: "prod", DelaySeconds: 90 }],
      },
    ]);
    expect(stage.lines()).toContainEqual(expect.objectContaining({ id: "m0", outcome: { kind: "early" } }));
  });

  it("is delivered again when it could not be sent again", async () => {
    stage.aws.answerNext({ error: "AccessDenied" });

    expect(await functionOf(async () => undefined)(batch(sealed(90_000)), contextOf())).toEqual(again("m0"));
  });
});

describe("a run that takes too long", () => {
  it("gets a signal one second before its end, and unfinished messages again", async () => {
    const handler = functionOf(async ({ version }, _ports, signal) => {
      if (version === 1) return;
      await new Promise((resolve) => {
        // One heeds the signal, the other hears nothing.
        if (version === 2) signal.addEventListener("abort", resolve);
      });
      throw new TransientError("given up");
    });
    const context = contextOf(1_200);

    const response = await handler(batch(wake(1), wake(2), wake(3)), context);

    expect(response).toEqual(again("m1", "m2"));
    expect(context.getRemainingTimeInMillis()).toBeGreaterThan(0);
    expect(stage.lines()).toContainEqual(
      expect.objectContaining({ id: "m2", error: { name: "TransientError", message: "the run did not end in time" } }),
    );
  });
});

describe("a function without its environment", () => {
  it("names the missing variable and its construct, and works after the variable is set", async () => {
    const { aws, environment } = stage;
    const variable = queueVariable("Wake");
    environment[variable] = undefined;
    const handler = functionOf(async () => ({ kind: "woken" }));
    const sealed = sealEnvelope({ notBefore: epochMs(Date.now() + 60_000), body: wake(1), group: "prod" });

    const without = await handler(batch(sealed), contextOf());
    environment[variable] = queueUrls.wake;
    const withIt = await handler(batch(sealed), contextOf());

    expect([without, withIt]).toEqual([again("m0"), done]);
    expect(aws.asked.map(({ operation }) => operation)).toEqual(["ChangeMessageVisibilityBatch", "SendMessageBatch"]);
    expect(stage.output()).toContain(
      "the variable LOOKOUT_QUEUE_WAKE is not set: the construct of the queues sets it on functions that send Wake",
    );
  });

  it("fails the whole batch without its table, with a reason, and gets it again soon", async () => {
    const { environment } = stage;
    delete environment.LOOKOUT_TABLE;

    const run = functionOf(async () => undefined)(batch(wake(1)), contextOf());

    await expect(run).rejects.toEqual(
      new TransientError("gate/wake failed; the log of request request-1 has the error"),
    );
    expect(stage.output()).toContain(
      "the variable LOOKOUT_TABLE is not set: the construct of the table sets it on functions that reach it; deploy the stack again",
    );
    expect(returned()).toEqual([["m0", 1]]);
  });
});

/** The failed messages that SQS delivers again, each with its pause in seconds. */
function returned(): readonly unknown[] {
  return stage.aws.asked
    .filter(({ operation }) => operation === "ChangeMessageVisibilityBatch")
    .flatMap(({ input }) => {
      expect(input["QueueUrl"]).toBe(queueUrls.wake);
      return input["Entries"] as readonly { readonly ReceiptHandle: string; readonly VisibilityTimeout: number }[];
    })
    .map(({ ReceiptHandle, VisibilityTimeout }) => [ReceiptHandle.replace("handle-", ""), VisibilityTimeout]);
}

function received(times: number, { Records }: SQSEvent): SQSEvent {
  const count = { ApproximateReceiveCount: String(times) };
  return { Records: Records.map((one) => ({ ...one, attributes: { ...one.attributes, ...count } })) };
}

function keptLetter(letter: { readonly body: string; readonly why: string }) {
  const { QueueUrl, Entries } = letterTo(queueUrls.kept, letter);
  const MessageAttributes = { function: { DataType: "String", StringValue: "gate/wake" } };
  return { QueueUrl, Entries: Entries.map((entry) => ({ ...entry, MessageAttributes })) };
}

function letterTo(queue: string, letter: { readonly body: string; readonly why: string; readonly isPermanent?: true }) {
  return { QueueUrl: queue, Entries: [{ Id: "0", MessageBody: JSON.stringify(letter) }] };
}

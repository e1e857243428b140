import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Ports } from "#app/shared/ports";
import { environment as names, queueVariable } from "#contracts/aws/environment";
import { commandSchemas } from "#contracts/messages/commands";
import { networkQueueName, reachesClusters } from "#contracts/config/networks";
import { functionName, handles, routes } from "#contracts/routes";
import type { Command, CommandName } from "#domain/update/commands";
import { hours, minutes } from "#domain/shared/time";
import { PermanentError } from "#ports/errors";
import { onCommands } from "#runtime/handler";
import { queueShell } from "#runtime/lambda/queue";
import { scheduleShell } from "#runtime/lambda/schedule";
import { bus } from "#runtime/lambda/wiring/bus";
import { ownQueue } from "#runtime/lambda/wiring/own-queue";
import { queues } from "#runtime/lambda/wiring/queues";
import { busContract, type Handed, type MessagingBed, queuesContract } from "#test/contracts/messaging.contract";
import { awsMessaging } from "#test/runtime/lambda/aws-messaging";
import { batch, contextOf, type LambdaStage, lambdaStage } from "#test/runtime/lambda/stage";

const queueRows = routes.flatMap((route) =>
  route.trigger.kind === "command" ? [{ queue: route.trigger.command, route, name: functionName(route) }] : [],
);

const commandNames = Object.keys(commandSchemas) as readonly CommandName[];

/**
 * What functions send with on Lambda, over the wire; what arrives is run by the shell of queues,
 * which sends again what comes early.
 */
async function bed(vpc?: string): Promise<MessagingBed> {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 0, 2, 3, 4, 5, 678) });
  const began = Date.now();
  const aws = awsMessaging();
  const network = vpc === undefined ? {} : { network: { vpc, subnets: ["subnet-0a1b2c3d"] } };
  const stage = await lambdaStage(aws.answer, { clusters: [{ name: "prod", eks: { name: "prod" }, ...network }] });
  const urlOf = (command: string): string => `https://sqs.eu-central-1.amazonaws.com/111122223333/${command}`;
  Object.assign(stage.environment, {
    ...Object.fromEntries(queueRows.map(({ queue }) => [queueVariable(queue), urlOf(queue)])),
    ...{ [names.scheduleRole]: "arn:aws:iam::111122223333:role/sender", [names.scheduleGroup]: "lookout" },
    AWS_REGION: "eu-central-1",
  });
  const handed: Handed[] = [];
  const functions = new Map<string, ReturnType<typeof queueShell>>(
    queueRows.map(({ queue, route, name }) => {
      const take = async (received: Command) => {
        handed.push({ to: queue, command: received, afterMs: Date.now() - began });
      };
      const carried = commandNames.filter((command) => handles(route, command));
      const run = onCommands(Object.fromEntries(carried.map((command) => [command, take])));
      const url = vpc !== undefined && reachesClusters(queue) ? networkQueueName("Lookout", queue, vpc) : queue;
      return [url, queueShell(run, stage.settings(name, [ownQueue, queues]))];
    }),
  );
  return {
    ...(await portsOf(stage.settings("gate/reap", [queues, bus]))),
    ...{ handed, told: aws.events },
    async pass(duration) {
      const end = Date.now() + duration;
      for (let next = aws.next(end); next !== undefined; next = aws.next(end)) {
        vi.setSystemTime(Math.max(Date.now(), next.at));
        const response = await functions.get(next.queue)?.(batch(next.body), contextOf());
        if (response?.batchItemFailures.length !== 0) throw new Error(`${next.queue} did not take ${next.body}`);
      }
      vi.setSystemTime(end);
    },
    close: async () => {
      await stage.close();
      vi.useRealTimers();
    },
  };
}

/** The ports that a function of these parts is run with. */
async function portsOf(
  settings: Parameters<typeof scheduleShell>[1],
): Promise<{ readonly queues: Ports["queues"]; readonly bus: Ports["bus"] }> {
  const given = Promise.withResolvers<{ readonly queues: Ports["queues"]; readonly bus: Ports["bus"] }>();
  await scheduleShell(async ({ ports }) => {
    given.resolve(ports);
  }, settings)({}, contextOf());
  const ports = await given.promise;
  return { queues: ports.queues, bus: ports.bus };
}

describe("the queues of the stack", () => {
  queuesContract(() => bed());
});

describe("the queues of the stack, for a cluster in a VPC", () => {
  queuesContract(() => bed("vpc-0a1b2c3d"));
});

describe("a function without the right to make schedules", () => {
  let stage: LambdaStage;
  beforeEach(async () => {
    stage = await lambdaStage(awsMessaging().answer);
    const url = "https://sqs.eu-central-1.amazonaws.com/111122223333/SyncCluster";
    Object.assign(stage.environment, { [queueVariable("SyncCluster")]: url });
  });
  afterEach(() => stage.close());

  it("sends short delays, and reports who grants the right for longer ones", async () => {
    const ports = await portsOf(stage.settings("detect/sync-due", [queues, bus]));
    const command = { name: "SyncCluster", id: "1", cluster: "prod" } as const;

    await ports.queues.send([{ command, delay: minutes(15) }]);
    const late = ports.queues.send([{ command, delay: hours(1) }]);

    await expect(late).rejects.toEqual(
      new PermanentError(
        "the variable LOOKOUT_SCHEDULE_ROLE is not set: the construct of the timers sets it on functions that send delayed commands; deploy the stack again",
      ),
    );
    expect(stage.aws.asked.map(({ operation }) => operation)).toEqual(["SendMessageBatch"]);
  });
});

describe("the bus of the stack", () => {
  busContract(() => bed());
});

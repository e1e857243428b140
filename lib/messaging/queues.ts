/**
 * The queues: one queue per function with commands or events, and one queue for their dead letters.
 */
import { Annotations, Duration, Stack, Token } from "aws-cdk-lib";
import type { Queue, QueueProps } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { environment, queueVariable } from "#contracts/aws/environment";
import { longestQueueName, networkQueueName } from "#contracts/config/networks";
import { delivery, type Message, messageOf, type QueueCommand } from "#contracts/routes";
import type { Grantee, Startable } from "../shared/grantee.ts";
import { privateQueue } from "../shared/private-queue.ts";

/** The visibility timeout, as a multiple of the function's timeout. AWS recommends six. */
const runsHidden = 6;

const retentionPeriod = Duration.days(14);

/** The queues of all functions. */
export class CommandQueues extends Construct {
  /**
   * The queue for messages that failed on other queues. The function with the trigger `dead-letter`
   * reads it.
   */
  readonly deadLetter: Queue;
  private readonly kept: Queue;
  private readonly byMessage = new Map<string, Queue>();
  private readonly inNetworks = new Map<string, Queue[]>();

  /**
   * @param deadLetter - the function that handles dead letters
   * @param kept - the queue of messages that wait for a user
   */
  constructor(scope: Construct, id: string, deadLetter: Startable, kept: Queue) {
    super(scope, id);
    this.kept = kept;
    this.deadLetter = this.queue("DeadLetter", deadLetter, {
      deadLetterQueue: { queue: kept, maxReceiveCount: delivery.maximumReceivesOfLetters },
    });
  }

  /** Creates the queue of a function. */
  addFor(fn: Startable): Queue {
    const message = ownMessageOf(fn);
    const queue = this.queue(message, fn, this.toDeadLetters);
    this.byMessage.set(message, queue);
    return queue;
  }

  /** Creates the queue of a function's copy in a VPC. */
  addInNetwork(fn: Startable, vpc: string): Queue {
    const { trigger } = fn.route;
    if (trigger.kind !== "command") throw new Error(`${fn.name} has no command, so it has no queue in a VPC`);
    const { command } = trigger;
    const queueName = networkQueueName(Stack.of(this).stackName, command, vpc);
    if (!Token.isUnresolved(queueName) && queueName.length > longestQueueName)
      Annotations.of(this).addError(
        `the name of the queue ${queueName} has over ${longestQueueName} characters: give the stack a shorter name (LOOKOUT_STACK)`,
      );
    const queue = this.queue(`${command}-${vpc}`, fn, { ...this.toDeadLetters, queueName });
    this.inNetworks.set(command, [...(this.inNetworks.get(command) ?? []), queue]);
    return queue;
  }

  /** All queues, the dead-letter queue included. */
  get all(): readonly Queue[] {
    return [...this.byMessage.values(), ...[...this.inNetworks.values()].flat(), this.deadLetter];
  }

  /** Returns the queue of a function outside of any VPC. */
  queueOf(fn: Startable): Queue {
    return this.queueWith(ownMessageOf(fn));
  }

  /**
   * Lets a function send commands to a queue and its copies in all VPCs, and sets the variable
   * with the main queue's URL.
   */
  grantSend(fn: Grantee, name: QueueCommand): void {
    const queue = this.queueWith(name);
    const placed = this.inNetworks.get(name) ?? [];
    fn.allow(
      ["sqs:SendMessage"],
      [queue, ...placed].map(({ queueArn }) => queueArn),
    );
    fn.tell(queueVariable(name), queue.queueUrl);
  }

  /**
   * Lets a function set messages aside: as dead letters, or for a user. Sets the variables with the
   * URLs of both queues.
   */
  grantSetAside(fn: Grantee): void {
    fn.allow(["sqs:SendMessage"], [this.deadLetter.queueArn]);
    fn.tell(environment.deadLetterQueue, this.deadLetter.queueUrl);
    this.grantKeep(fn);
  }

  /** Lets a function keep messages for a user, and sets the variable with the queue's URL. */
  grantKeep(fn: Grantee): void {
    fn.allow(["sqs:SendMessage"], [this.kept.queueArn]);
    fn.tell(environment.keptQueue, this.kept.queueUrl);
  }

  private queueWith(message: Message["name"]): Queue {
    const queue = this.byMessage.get(message);
    if (queue === undefined) throw new Error(`no function handles ${message}`);
    return queue;
  }

  private get toDeadLetters() {
    return { deadLetterQueue: { queue: this.deadLetter, maxReceiveCount: delivery.maximumReceives } };
  }

  private queue(
    id: string,
    { route }: Startable,
    props: Pick<QueueProps, "queueName"> & Required<Pick<QueueProps, "deadLetterQueue">>,
  ): Queue {
    const visibilityTimeout = Duration.millis(runsHidden * route.timeoutMs);
    return privateQueue(this, id, { retentionPeriod, visibilityTimeout, ...props });
  }
}

function ownMessageOf({ route, name }: Startable): Message["name"] {
  const message = messageOf(route);
  if (message === undefined) throw new Error(`${name} has no command and no event, so it has no queue`);
  return message;
}

import type { DomainEvent } from "#domain/update/events";
import type { AwsReply, AwsRequest } from "#test/adapters/aws-endpoint";

/** A message in a queue of SQS, or on its way there. */
export interface Queued {
  /** Name of the queue. */
  readonly queue: string;
  readonly body: string;
  /** When it can be received, in milliseconds of `Date`. */
  readonly at: number;
}

/**
 * SQS, EventBridge Scheduler and EventBridge as far as messages go: at the edge of what they
 * promise.
 */
export interface AwsMessaging {
  readonly answer: (request: AwsRequest) => AwsReply;
  /** What was put on a bus. */
  readonly events: readonly DomainEvent[];
  /**
   * Takes the message out that can be received first, not after an instant; undefined: there is
   * none.
   */
  next(until: number): Queued | undefined;
}

/** A schedule runs at some instant of its minute: here it is the last. */
const lateness = 59_000;

/** Makes them, with nothing in them. */
export function awsMessaging(): AwsMessaging {
  const queued: Queued[] = [];
  const events: DomainEvent[] = [];
  const schedules = new Set<string>();
  const answer = ({ operation, input }: AwsRequest): AwsReply => {
    if (operation === "SendMessageBatch") return send(input as unknown as Batch, queued);
    if (operation === "PutEvents") return publish(input as unknown as Put, events);
    if (!operation.startsWith("POST /schedules/")) return { json: {} };
    if (schedules.has(operation)) return { error: "ConflictException", status: 409 };
    schedules.add(operation);
    const { ScheduleExpression: expression, Target: target } = input as unknown as Scheduled;
    const at = Date.parse(`${expression.slice("at(".length, -1)}Z`) + lateness;
    queued.push({ queue: target.Arn.split(":").at(-1) ?? "", body: target.Input, at });
    return { json: { ScheduleArn: "arn:aws:scheduler:eu-central-1:111122223333:schedule/lookout/x" } };
  };
  return {
    ...{ answer, events },
    next(until) {
      const [first] = queued.filter(({ at }) => at <= until).sort((one, other) => one.at - other.at);
      if (first !== undefined) queued.splice(queued.indexOf(first), 1);
      return first;
    },
  };
}

interface Batch {
  readonly QueueUrl: string;
  readonly Entries: readonly { readonly MessageBody: string; readonly DelaySeconds?: number }[];
}

interface Scheduled {
  readonly ScheduleExpression: string;
  readonly Target: { readonly Arn: string; readonly Input: string };
}

interface Put {
  readonly Entries: readonly { readonly Detail: string }[];
}

function send({ QueueUrl: url, Entries: entries }: Batch, queued: Queued[]): AwsReply {
  if (entries.length === 0) return { error: "AWS.SimpleQueueService.EmptyBatchRequest" };
  if (entries.length > 10) return { error: "AWS.SimpleQueueService.TooManyEntriesInBatchRequest" };
  if (entries.some(({ DelaySeconds: delay = 0 }) => delay > 900)) return { error: "InvalidParameterValue" };
  const queue = url.split("/").at(-1) ?? "";
  for (const { MessageBody: body, DelaySeconds: delay = 0 } of entries)
    queued.push({ queue, body, at: Date.now() + delay * 1_000 });
  return { json: {} };
}

function publish({ Entries: entries }: Put, events: DomainEvent[]): AwsReply {
  if (entries.length === 0 || entries.length > 10) return { error: "ValidationException" };
  for (const { Detail: detail } of entries) {
    const { schemaVersion: _, ...event } = JSON.parse(detail) as DomainEvent & { readonly schemaVersion: number };
    events.push(event);
  }
  return { json: { FailedEntryCount: 0, Entries: entries.map(() => ({ EventId: "1" })) } };
}

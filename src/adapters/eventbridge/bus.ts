import {
  EventBridgeClient,
  PutEventsCommand,
  type PutEventsRequestEntry,
  type PutEventsResultEntry,
} from "@aws-sdk/client-eventbridge";
import pLimit from "p-limit";
import { eventDetail, eventSource } from "#contracts/messages/events";
import type { DomainEvent } from "#domain/update/events";
import { PermanentError, TransientError } from "#ports/errors";
import type { Bus } from "#ports/messaging";
import { withPortErrors } from "../shared/aws-errors.ts";
import { awsClientOptions } from "../shared/aws.ts";
import { inRequests } from "../shared/request-limits.ts";

/** A bus of EventBridge. */
export interface EventBridgeBus {
  readonly client: EventBridgeClient;
  /** The name of the bus. */
  readonly bus: string;
}

/**
 * The limits of one request.
 *
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-putevents.html
 */
const most = { entries: 10, bytes: 262_144 } as const;
const permanent = new Set(["ValidationException"]);
const requestsAtOnce = 10;

/** Opens a client with the environment's region, credentials and endpoint. */
export function eventBridgeClient(): EventBridgeClient {
  return new EventBridgeClient(awsClientOptions);
}

/**
 * Returns a bus of EventBridge. Publishing throws when EventBridge rejects any event of a request.
 */
export function eventBridgeBus({ client, bus }: EventBridgeBus): Bus {
  return {
    async publish(events) {
      const limit = pLimit(requestsAtOnce);
      const requests = inRequests(
        events.map((event) => entryOf(event, bus)),
        sizeOf,
        most,
      );
      await Promise.all(requests.map((entries) => limit(() => put(client, bus, entries))));
    },
  };
}

type Entry = PutEventsRequestEntry & { readonly Source: string; readonly DetailType: string; readonly Detail: string };

function entryOf(event: DomainEvent, bus: string): Entry {
  return {
    EventBusName: bus,
    Source: eventSource,
    DetailType: event.name,
    Detail: JSON.stringify(eventDetail(event)),
  };
}

/**
 * Returns the size of an event in bytes.
 *
 * @throws PermanentError for an event that is larger than a request may be.
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-putevent-size.html
 */
function sizeOf({ Source, DetailType, Detail }: Entry): number {
  const size = Buffer.byteLength(Source) + Buffer.byteLength(DetailType) + Buffer.byteLength(Detail);
  if (size <= most.bytes) return size;
  throw new PermanentError(`the event ${DetailType} has ${size} bytes, and EventBridge allows at most ${most.bytes}`);
}

async function put(client: EventBridgeClient, bus: string, entries: readonly Entry[]): Promise<void> {
  const doing = `publishing ${entries.length} events on ${bus}`;
  const results = await withPortErrors(
    { service: "EventBridge", doing, permanent },
    async () => (await client.send(new PutEventsCommand({ Entries: [...entries] }))).Entries,
  );
  const refused = (results ?? []).filter(({ ErrorCode }: PutEventsResultEntry) => ErrorCode !== undefined);
  if (refused.length === 0) return;
  const codes = [...new Set(refused.map(({ ErrorCode }) => ErrorCode))].join(", ");
  throw new TransientError(
    `EventBridge failed while ${doing}: it rejected ${refused.length} of ${entries.length} events (${codes})`,
  );
}

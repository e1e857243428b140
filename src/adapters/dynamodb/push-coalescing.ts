import { DeleteCommand, TransactWriteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { tableShape } from "#contracts/aws/table";
import { imageNameOf } from "#domain/image/reference";
import type { DurationMs, EpochMs } from "#domain/shared/time";
import { mostClockDifference } from "#domain/shared/wrong-clock";
import { TransientError } from "#ports/errors";
import type { PushCoalescing } from "#ports/push-coalescing";
import type { RepositoryName } from "#ports/registry";
import type { DynamoTable } from "./client.ts";
import { putIf } from "./errors.ts";
import type { ItemKey } from "#ports/items";

function pushCoalescingKey(name: RepositoryName): ItemKey {
  return { pk: `REPOSITORY#${imageNameOf(name)}`, sk: "PUSH-COALESCING" };
}

/** The table, and the lease of its markers. */
export interface DynamoPushCoalescing extends DynamoTable {
  /** The time after which another push may take the marker. The default is 30 seconds. */
  readonly lease?: DurationMs;
}

interface Asking {
  readonly name: RepositoryName;
  readonly push: string;
  readonly now: EpochMs;
}

const rounds = 10;
const secondsPerDay = 86_400;

// An end far ahead is from before the clock was set back.
const markerIsFree = "(attribute_not_exists(#holder) OR #leaseUntil <= :now OR #leaseUntil > :ahead)";
const markerIsMine = "#holder = :push";
const othersJoined = "#again = :true";
const nobodyJoined = "#again = :false";
const holderIsAtWork = "(attribute_exists(#holder) AND #leaseUntil > :now AND #leaseUntil <= :ahead)";

/**
 * Returns the push coalescing of a table. Each repository has one item: the evaluated push, the end
 * of its lease, and whether other pushes joined.
 */
export function dynamoPushCoalescing({ lease = 30_000 as DurationMs, ...where }: DynamoPushCoalescing): PushCoalescing {
  return {
    async begin(name, push, now) {
      const asking = { name, push, now };
      for (let round = 0; round < rounds; round++) {
        if (await hold(where, asking, lease)) return "first";
        if (await join(where, asking)) return "joined";
        // The holder ended between `hold` and `join`, so the marker is free.
      }
      throw new TransientError(
        `the marker of ${imageNameOf(name)} changed ${rounds} times during the attempt: try again`,
      );
    },

    async end(name, push, now) {
      const asking = { name, push, now };
      if (await letGo(where, asking)) return "done";
      return (await goOn(where, asking, lease)) ? "again" : "done";
    },
  };
}

/** Takes a free marker. A mark of joined pushes stays, because an extra evaluation is harmless. */
async function hold({ client, table }: DynamoTable, { name, push, now }: Asking, lease: number): Promise<boolean> {
  const update = new UpdateCommand({
    TableName: table,
    Key: { ...pushCoalescingKey(name) },
    UpdateExpression:
      "SET #holder = :push, #leaseUntil = :until, #expiry = :expiry, #again = if_not_exists(#again, :false)",
    ConditionExpression: `${markerIsFree} OR ${markerIsMine}`,
    ExpressionAttributeNames: {
      "#holder": "holder",
      "#leaseUntil": "leaseUntil",
      "#again": "again",
      "#expiry": tableShape.expiryAttribute,
    },
    ExpressionAttributeValues: {
      ":push": push,
      ":now": now,
      ":ahead": now + mostClockDifference,
      ":until": now + lease,
      ":expiry": Math.floor(now / 1_000) + secondsPerDay,
      ":false": false,
    },
  });
  return putIf(`beginning to evaluate ${imageNameOf(name)}`, () => client.send(update));
}

async function join({ client, table }: DynamoTable, { name, now }: Asking): Promise<boolean> {
  const update = new UpdateCommand({
    TableName: table,
    Key: { ...pushCoalescingKey(name) },
    UpdateExpression: "SET #again = :true",
    ConditionExpression: holderIsAtWork,
    ExpressionAttributeNames: { "#holder": "holder", "#leaseUntil": "leaseUntil", "#again": "again" },
    ExpressionAttributeValues: { ":true": true, ":now": now, ":ahead": now + mostClockDifference },
  });
  return putIf(`joining the evaluation of ${imageNameOf(name)}`, () => client.send(update));
}

async function letGo({ client, table }: DynamoTable, { name, push }: Asking): Promise<boolean> {
  const removal = new DeleteCommand({
    TableName: table,
    Key: { ...pushCoalescingKey(name) },
    ConditionExpression: `${markerIsMine} AND ${nobodyJoined}`,
    ExpressionAttributeNames: { "#holder": "holder", "#again": "again" },
    ExpressionAttributeValues: { ":push": push, ":false": false },
  });
  return putIf(`ending the evaluation of ${imageNameOf(name)}`, () => client.send(removal));
}

/**
 * Starts the next evaluation if other pushes joined. The write is a transaction, because its token
 * makes a repeated request safe.
 */
async function goOn({ client, table }: DynamoTable, { name, push, now }: Asking, lease: number): Promise<boolean> {
  const update = {
    TableName: table,
    Key: { ...pushCoalescingKey(name) },
    UpdateExpression: "SET #again = :false, #leaseUntil = :until",
    ConditionExpression: `${markerIsMine} AND ${othersJoined}`,
    ExpressionAttributeNames: { "#holder": "holder", "#leaseUntil": "leaseUntil", "#again": "again" },
    ExpressionAttributeValues: { ":push": push, ":until": now + lease, ":true": true, ":false": false },
  };
  return putIf(`evaluating ${imageNameOf(name)} again`, () =>
    client.send(new TransactWriteCommand({ TransactItems: [{ Update: update }] })),
  );
}

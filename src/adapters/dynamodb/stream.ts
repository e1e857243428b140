import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import type { StoredVersion } from "#ports/store";
import { isRecord, toRecord } from "./record-item.ts";

/** One entry of a table's stream, as functions get it: items are in DynamoDB's JSON. */
export interface StreamEntry {
  readonly eventID?: string | undefined;
  readonly dynamodb?: { readonly NewImage?: Readonly<Record<string, unknown>> | undefined } | undefined;
}

/**
 * Reads the write of a record from an entry of the table's stream.
 *
 * @returns undefined for other items, and for deletions.
 * @throws PermanentError for a record that this program can't read.
 */
export function changeOf({ eventID, dynamodb }: StreamEntry): StoredVersion | undefined {
  if (dynamodb?.NewImage === undefined) return undefined;
  const item = itemOf(dynamodb.NewImage);
  if (!isRecord(item)) return undefined;
  const record = toRecord(item);
  return { id: eventID ?? `${String(item.pk)}/${record.version}`, record };
}

/** Returns a short name of an entry's write for messages. The item itself may be very large. */
export function writeNameOf({ eventID, dynamodb }: StreamEntry): string {
  const { pk, version } = itemOf(dynamodb?.NewImage ?? {});
  // A very large number is a bigint here, and JSON has no bigints.
  return JSON.stringify({ event: eventID, item: pk, version }, (_, value: unknown) =>
    typeof value === "bigint" ? String(value) : value,
  );
}

function itemOf(image: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return unmarshall(image as Record<string, AttributeValue>);
}

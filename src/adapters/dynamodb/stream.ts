import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import type { ItemChange } from "#ports/items";
import { itemOf } from "./items.ts";

/** One entry of a table's stream, as functions get it: items are in DynamoDB's JSON. */
export interface StreamEntry {
  readonly eventID?: string | undefined;
  readonly dynamodb?: { readonly NewImage?: Readonly<Record<string, unknown>> | undefined } | undefined;
}

/** Reads the written item of an entry of the table's stream; undefined for a deletion. */
export function changeOf({ eventID, dynamodb }: StreamEntry): ItemChange | undefined {
  if (dynamodb?.NewImage === undefined) return undefined;
  const item = itemOf(imageOf(dynamodb.NewImage));
  return { id: eventID ?? `${item.pk}/${item.sk}/${String(item.marks?.["version"])}`, item };
}

/** Returns a short name of an entry's write for messages. The item itself may be very large. */
export function writeNameOf({ eventID, dynamodb }: StreamEntry): string {
  const { pk, marks } = imageOf(dynamodb?.NewImage ?? {});
  // A very large number is a bigint here, and JSON has no bigints.
  return JSON.stringify(
    { event: eventID, item: pk, ...(typeof marks === "object" ? marks : {}) },
    (_, value: unknown) => (typeof value === "bigint" ? String(value) : value),
  );
}

function imageOf(image: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return unmarshall(image as Record<string, AttributeValue>);
}

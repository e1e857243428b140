import { PutCommand } from "@aws-sdk/lib-dynamodb";
import type { Breaker } from "#domain/registry/breaker";
import type { RegistryLimit } from "#domain/registry/lease";
import type { Outage } from "#domain/registry/outage";
import type { Pauses } from "#domain/registry/pauses";
import { type EpochMs, hours, plus } from "#domain/shared/time";
import type { RegistryLimits } from "#ports/registry-limits";
import type { DynamoTable } from "./client.ts";
import { putIf } from "./errors.ts";
import type { ItemKey } from "./keys.ts";
import { queryPartition } from "./reads.ts";
import { expiryAt } from "./writes.ts";

const keptFor = hours(24);

function registryKey(host: string, part: "LIMIT" | "BREAKER" | "OUTAGE" | "PAUSES"): ItemKey {
  return { pk: `REGISTRY#${host}`, sk: part };
}

/**
 * Returns the store of registry limits. Each registry has four items in one partition, so that one
 * query reads all. An item expires a day after its last write.
 */
export function dynamoRegistryLimits(where: DynamoTable): RegistryLimits {
  return {
    async read(host) {
      const { pk } = registryKey(host, "LIMIT");
      const items = await queryPartition(where, { pk }, `reading the limits of ${host}`);
      const stateAt = (part: string): unknown => items.find(({ sk }) => sk === part)?.state;
      const limit = stateAt("LIMIT") as RegistryLimit | undefined;
      const breaker = stateAt("BREAKER") as Breaker | undefined;
      const outage = stateAt("OUTAGE") as Outage | undefined;
      const pauses = stateAt("PAUSES") as Pauses | undefined;
      return {
        ...(limit && { limit }),
        ...(breaker && { breaker }),
        ...(outage && { outage }),
        ...(pauses && { pauses }),
      };
    },
    writeLimit: (host, limit, now) => store(where, registryKey(host, "LIMIT"), limit, now),
    writeBreaker: (host, breaker, now) => store(where, registryKey(host, "BREAKER"), breaker, now),
    writeOutage: (host, outage, now) => store(where, registryKey(host, "OUTAGE"), outage, now),
    writePauses: (host, pauses, now) => store(where, registryKey(host, "PAUSES"), pauses, now),
  };
}

async function store(
  { client, table }: DynamoTable,
  key: ItemKey,
  state: RegistryLimit | Breaker | Outage | Pauses,
  now: EpochMs,
): Promise<boolean> {
  const expiry = expiryAt(plus(now, keptFor));
  const isFirst = state.version === 1;
  const put = new PutCommand({
    TableName: table,
    Item: { ...key, version: state.version, state, ...expiry },
    ConditionExpression: isFirst ? "attribute_not_exists(#version)" : "#version = :before",
    ExpressionAttributeNames: { "#version": "version" },
    ...(isFirst ? {} : { ExpressionAttributeValues: { ":before": state.version - 1 } }),
  });
  return putIf(`storing ${key.sk} of ${key.pk}`, () => client.send(put));
}

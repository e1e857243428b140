import { type EpochMs, hours, plus } from "#domain/shared/time";
import type { ProbeResults } from "#ports/probe-results";
import type { DynamoTable } from "./client.ts";
import type { ItemKey } from "./keys.ts";
import { readItem } from "./reads.ts";
import { expiryAt, putNewItem } from "./writes.ts";

const keptFor = hours(1);

function probeKey(id: string): ItemKey {
  return { pk: "DOCTOR", sk: `PROBE#${id}` };
}

/**
 * Returns the store of synthetic pushes that arrived. Each push has one item, which expires after
 * an hour.
 */
export function dynamoProbeResults(where: DynamoTable): ProbeResults {
  return {
    async put(id, at) {
      const expiry = expiryAt(plus(at, keptFor));
      const doing = `storing that the synthetic push ${id} arrived`;
      await putNewItem(where, { ...probeKey(id), at, ...expiry }, doing);
    },

    async read(id) {
      const item = await readItem(where, probeKey(id), `reading whether the synthetic push ${id} arrived`);
      return item?.at as EpochMs | undefined;
    },
  };
}

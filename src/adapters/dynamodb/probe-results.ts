import { tableShape } from "#contracts/aws/table";
import type { EpochMs } from "#domain/shared/time";
import type { ProbeResults } from "#ports/probe-results";
import type { DynamoTable } from "./client.ts";
import type { ItemKey } from "./keys.ts";
import { readItem } from "./reads.ts";
import { putNewItem } from "./writes.ts";

const secondsKept = 3_600;

function probeKey(id: string): ItemKey {
  return { pk: "DOCTOR", sk: `PROBE#${id}` };
}

/** The synthetic pushes that arrived: one item each, which expires after an hour. */
export function dynamoProbeResults(where: DynamoTable): ProbeResults {
  return {
    async put(id, at) {
      const expiry = { [tableShape.expiryAttribute]: Math.floor(at / 1_000) + secondsKept };
      const doing = `remembering that the synthetic push ${id} arrived`;
      await putNewItem(where, { ...probeKey(id), at, ...expiry }, doing);
    },

    async read(id) {
      const item = await readItem(where, probeKey(id), `reading whether the synthetic push ${id} arrived`);
      return item?.at as EpochMs | undefined;
    },
  };
}

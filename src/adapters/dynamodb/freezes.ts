import { type Freeze, freezeScopeText } from "#domain/gates/freezes";
import type { Freezes } from "#ports/freezes";
import type { DynamoTable } from "./client.ts";
import { queryPartition } from "./reads.ts";
import { putItem, removeItem } from "./writes.ts";

const pk = "FREEZE";

/**
 * Returns the store of freezes. All freezes share a partition, so that one strongly consistent query reads
 * all freezes.
 */
export function dynamoFreezes(where: DynamoTable): Freezes {
  return {
    async list() {
      const items = await queryPartition(where, { pk }, "reading the freezes");
      return items.map((item) => item.freeze as Freeze);
    },

    async put(freeze) {
      const scope = freezeScopeText(freeze.scope);
      await putItem(where, { pk, sk: scope, freeze }, `freezing ${scope}`);
    },

    async lift(scope) {
      const text = freezeScopeText(scope);
      return removeItem(where, { pk, sk: text }, `lifting the freeze of ${text}`);
    },
  };
}

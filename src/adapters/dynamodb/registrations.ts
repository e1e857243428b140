import { isDeepStrictEqual } from "node:util";
import type { Registration, Registrations } from "#ports/registrations";
import type { DynamoTable } from "./client.ts";
import { queryPartition, readItem } from "./reads.ts";
import { putNewItem, removeItem } from "./writes.ts";

const pk = "CLUSTERS";

/**
 * Returns the store of registered clusters. All clusters share a partition, so that one strongly consistent
 * query reads all clusters.
 */
export function dynamoRegistrations(where: DynamoTable): Registrations {
  return {
    async list() {
      const items = await queryPartition(where, { pk }, "listing the registered clusters");
      return items.map((item) => item.registration as Registration);
    },

    async put(registration) {
      const { name } = registration;
      const doing = `registering the cluster ${name}`;
      if (await putNewItem(where, { pk, sk: name, registration }, doing)) return true;
      // The client may have repeated a write after a lost answer.
      const stored = await readItem(where, { pk, sk: name }, doing);
      return isDeepStrictEqual(stored?.registration, registration);
    },

    remove: (name) => removeItem(where, { pk, sk: name }, `removing the cluster ${name}`),
  };
}

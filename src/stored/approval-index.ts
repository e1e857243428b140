import * as z from "zod/mini";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { workloadKey } from "#domain/workload/workload";
import type { ItemWrite } from "#ports/items";
import type { WorkloadStore } from "#ports/store";
import { clusterPartition } from "./keys.ts";
import { itemOf, type Kind, type Storage } from "./kind.ts";

/** The kind of places in the list of approvals. */
export const approvalPlaceKind: Kind<object> = { name: "place in the list of approvals", form: 1, shape: z.object({}) };

const prefix = "APPROVAL#";

/** Returns the writes to the list of approvals that a record's {@link Effects.approvalWait} needs. */
export function approvalWrites({ workload, effects: { approvalWait } }: WorkloadRecord): readonly ItemWrite[] {
  if (approvalWait === undefined) return [];
  const key = { pk: clusterPartition(workload.cluster), sk: `${prefix}${workloadKey(workload)}` };
  return approvalWait === "begins"
    ? [{ kind: "put", item: itemOf(approvalPlaceKind, key, {}) }]
    : [{ kind: "remove", key }];
}

/** Returns the list of the workloads whose update waits for approval. It is written with their records. */
export function storedApprovalIndex({ items }: Storage): Pick<WorkloadStore, "awaitingApproval"> {
  return {
    async awaitingApproval(cluster) {
      const doing = `listing the workloads that wait for approval in ${cluster}`;
      const found = await items.sortKeys({ pk: clusterPartition(cluster), prefix }, doing);
      return found.map((sk) => sk.slice(prefix.length));
    },
  };
}

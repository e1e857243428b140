/**
 * The table's keys, index and expiry. The stack deploys the table, and the adapters use the table.
 */
export const tableShape = {
  partitionKey: "pk",
  sortKey: "sk",
  /** The sparse index of records that need work and hold no slot. The index contains only keys. */
  dueIndex: { name: "due", partitionKey: "duePk", sortKey: "dueSk" },
  /** The attribute with the time, in seconds, after which DynamoDB may delete an item. */
  expiryAttribute: "expiresAt",
  /** The sort key of a workload's record. Only changes of records reach `notify/state-changed`. */
  recordSortKey: "WORKLOAD",
} as const;

/** The table's keys, index and expiry. The stack deploys it and the adapters use it. */
export const tableShape = {
  partitionKey: "pk",
  sortKey: "sk",
  /** The sparse index of records that someone must work on and whose update holds no slot; it holds keys alone. */
  dueIndex: { name: "due", partitionKey: "duePk", sortKey: "dueSk" },
  /** Attribute with the second after which DynamoDB may delete the item. */
  expiryAttribute: "expiresAt",
  /** The sort key of a workload's record: its writes are what is handed on. */
  recordSortKey: "WORKLOAD",
} as const;

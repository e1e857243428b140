/** The shape of the table: its keys, its one index, and what expires. The adapters use it, the stack deploys it. */
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

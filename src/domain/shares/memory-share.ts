/** The memory that each namespace holds, in bytes. A namespace that holds nothing is absent. */
export type HeldMemory = ReadonlyMap<string, number>;

/** A refusal of memory. */
export interface MemoryRefusal {
  /** The most that the namespace may hold now. */
  readonly shareBytes: number;
  /** The number of namespaces that hold memory, with this one. */
  readonly holders: number;
}

/**
 * Returns why a namespace may not hold more memory, or undefined if it may.
 *
 * As long as the pool is not full, each namespace may hold any part of it. When it is full, a
 * namespace may hold its share: the pool divided by the number of namespaces that hold memory. So a
 * namespace that holds less than its share always gets memory, and all namespaces together hold at
 * most twice the pool.
 *
 * @param ownBytes - the fixed maximum of the namespace, or undefined if it has none.
 */
export function refusalOfMemory(
  held: HeldMemory,
  payer: string,
  moreBytes: number,
  poolBytes: number,
  ownBytes: number | undefined,
): MemoryRefusal | undefined {
  if (moreBytes <= 0) return undefined;
  const before = held.get(payer) ?? 0;
  const total = [...held.values()].reduce((sum, bytes) => sum + bytes, 0);
  const holders = held.size + (held.has(payer) ? 0 : 1);
  const isFull = total + moreBytes > poolBytes;
  const shareBytes = Math.min(ownBytes ?? Infinity, isFull ? Math.floor(poolBytes / holders) : poolBytes);
  return before + moreBytes > shareBytes ? { shareBytes, holders } : undefined;
}

/** Reads what a key stands for. */
export type Once = <Value>(key: string, read: () => Promise<Value>) => Promise<Value>;

/** Makes a memory for one round: what a key stands for is read when it is first asked for, and never again, not even when that failed. */
export function readOnce(): Once {
  const kept = new Map<string, Promise<unknown>>();
  return <Value>(key: string, read: () => Promise<Value>): Promise<Value> => {
    const known = kept.get(key) ?? read();
    kept.set(key, known);
    return known as Promise<Value>;
  };
}

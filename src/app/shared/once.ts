/** A function that reads the value of a key. */
export type Once = <Value>(key: string, read: () => Promise<Value>) => Promise<Value>;

/**
 * Returns a function that reads the value of each key once, and keeps the result or the failure.
 */
export function readOnce(): Once {
  const kept = new Map<string, Promise<unknown>>();
  return <Value>(key: string, read: () => Promise<Value>): Promise<Value> => {
    const known = kept.get(key) ?? read();
    kept.set(key, known);
    return known as Promise<Value>;
  };
}

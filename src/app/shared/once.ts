/** A function that reads the value of a key. */
export type Once = <Value>(key: string, read: () => Promise<Value>) => Promise<Value>;

/**
 * Returns a function that reads the value of each key once for each object, as long as the object is
 * in use.
 */
export function readOnceFor<Value>(): (of: object, key: string, read: () => Promise<Value>) => Promise<Value> {
  const kept = new WeakMap<object, Once>();
  return (of, key, read) => {
    const once = kept.get(of) ?? readOnce();
    kept.set(of, once);
    return once(key, read);
  };
}

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

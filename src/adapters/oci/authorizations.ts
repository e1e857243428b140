/** A cache of `Authorization` headers by registry and repository. */
export interface Authorizations {
  /** Returns the header's value, or undefined for an unknown or expired header. */
  get(key: string): string | undefined;
  set(key: string, value: string, lifetimeMs: number): void;
  delete(key: string): void;
}

const mostKept = 2000;

/**
 * Returns a cache that keeps the newest 2,000 headers for their lifetimes. `monotonicMs` never goes
 * back.
 */
export function authorizationCache(monotonicMs: () => number): Authorizations {
  const kept = new Map<string, { readonly value: string; readonly until: number }>();
  return {
    get(key) {
      const found = kept.get(key);
      return found !== undefined && found.until > monotonicMs() ? found.value : undefined;
    },
    set(key, value, lifetimeMs) {
      kept.delete(key);
      kept.set(key, { value, until: monotonicMs() + lifetimeMs });
      const [oldest] = kept.keys();
      if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest);
    },
    delete: (key) => void kept.delete(key),
  };
}

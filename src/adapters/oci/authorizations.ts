/** The `Authorization` headers that are in use, by registry and repository. */
export interface Authorizations {
  /** Answers the header's value, unless it has expired. */
  get(key: string): string | undefined;
  set(key: string, value: string, lifetimeMs: number): void;
  delete(key: string): void;
}

const mostKept = 2000;

/** Keeps headers for their lifetimes, the newest 2,000. `monotonicMs` never goes back. */
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

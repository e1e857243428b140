/** What each namespace used in the last minute, by name. */
export type RecentUse = Map<string, { readonly amount: number; readonly atMs: number }>;

/** After this time, half of a use is forgotten. So a use of one minute counts about as one minute. */
const halfLifeMs = 40_000;

/** The maximum number of remembered namespaces. The longest unused is forgotten first. */
const mostRemembered = 1_000;

/**
 * Returns the use of a namespace at an instant. Earlier uses count less and less.
 *
 * @param nowMs - the reading of a clock that never goes back.
 */
export function useOf(uses: RecentUse, payer: string, nowMs: number): number {
  const use = uses.get(payer);
  return use === undefined ? 0 : use.amount * 0.5 ** ((nowMs - use.atMs) / halfLifeMs);
}

/** Adds a use of a namespace. */
export function addUse(uses: RecentUse, payer: string, amount: number, nowMs: number): void {
  const before = useOf(uses, payer, nowMs);
  uses.delete(payer);
  uses.set(payer, { amount: before + amount, atMs: nowMs });
  const [oldest] = uses.keys();
  if (uses.size > mostRemembered && oldest !== undefined) uses.delete(oldest);
}

/** Returns the milliseconds until the use of a namespace is below a limit. 0: it is below now. */
export function msUntilBelow(uses: RecentUse, payer: string, limit: number, nowMs: number): number {
  const use = useOf(uses, payer, nowMs);
  return use < limit ? 0 : Math.ceil(halfLifeMs * Math.log2(use / limit)) + 1;
}

import { coversPlace } from "../workload/namespace-pattern.ts";

/** The most that one namespace may take of a process. An absent member has no fixed maximum. */
export interface Budget {
  /** The evaluations at the same time. */
  readonly evaluations?: number;
  readonly requestsPerMinute?: number;
  readonly cpuSecondsPerMinute?: number;
  /** The memory for tags and other answers of registries. */
  readonly memoryMiB?: number;
}

/** An entry of `budgets` in `lookout.yaml`. */
export interface BudgetEntry extends Budget {
  /** `NAMESPACE` or `CLUSTER/NAMESPACE`. A `*` at the end of either means any text. */
  readonly namespaces: readonly string[];
}

const members = ["evaluations", "requestsPerMinute", "cpuSecondsPerMinute", "memoryMiB"] as const;

/**
 * Returns the budget of a namespace: the smallest value of each member in the entries that cover the
 * namespace.
 *
 * @param payer - `cluster/namespace`.
 */
export function budgetOf(payer: string, entries: readonly BudgetEntry[]): Budget {
  const [cluster = "", namespace = ""] = payer.split("/");
  const covering = entries.filter(({ namespaces }) =>
    namespaces.some((pattern) => coversPlace(pattern, { cluster, namespace })),
  );
  const smallest = members.flatMap((member) => {
    const values = covering.flatMap((entry) => entry[member] ?? []);
    return values.length === 0 ? [] : [[member, Math.min(...values)] as const];
  });
  return Object.fromEntries(smallest);
}

import { prices } from "./prices.ts";

/*
 * `test/app/detect/definition-cost.test.ts` counts the lists, records and writes of quiet syncs.
 */

const monthMinutes = 30 * 24 * 60;
/** The objects of the page's cluster: ImagePolicies, each with its own workload. */
const objects = 100;
/** The size of a stored ImagePolicy, and of a row of the index of workloads. */
const bytes = { definition: 600, row: 100 } as const;

const unitsOf = (size: number): number => Math.max(1, Math.ceil(size / 4_096));

/** Returns the dollars of a month in which each sync reads some units of the table. */
const monthOf = (units: number): string => (monthMinutes * units * prices.tableRead).toFixed(2);

/** The costs of definitions, in dollars. A record has up to 4 KiB. */
export const definitionCost = {
  objects,
  monthOfPolicies: monthOf(unitsOf(objects * bytes.definition) + objects),
  monthOfService: monthOf(unitsOf(bytes.definition) + unitsOf(objects * bytes.row) + objects),
  monthWithoutObjects: monthOf(unitsOf(0)),
  /**
   * An update whose pods are ready at the first check reads its workload four times, each time with the definitions
   * about it, and those about its namespace.
   */
  perUpdate: 4 * 2 * unitsOf(bytes.definition) * prices.tableRead,
  /** A change stores the definition, and the state of the cluster once more. */
  change: 2 * prices.tableWrite,
} as const;

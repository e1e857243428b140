import type { WorkloadKind } from "../workload/kinds.ts";

/** The kinds that a definition may name. */
export const targetKinds = [
  "Deployment",
  "StatefulSet",
  "DaemonSet",
  "CronJob",
] as const satisfies readonly WorkloadKind[];

/** A workload of the namespace of a definition. */
export interface BuiltInTarget {
  readonly kind: (typeof targetKinds)[number];
  readonly name: string;
}

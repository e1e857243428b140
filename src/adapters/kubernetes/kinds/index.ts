import { type CustomKindSpec, nameOf } from "#domain/workload/custom/kind";
import { type ImagePlaces, placesOf } from "#domain/workload/image-places";
import { type BuiltInKind, builtInKinds, kindSpecs, type WorkloadKind } from "#domain/workload/kinds";
import { cronJobs } from "./cron-job.ts";
import { customObjects } from "./custom.ts";
import { daemonSets } from "./daemon-set.ts";
import { deployments } from "./deployment.ts";
import type { ObjectKind } from "./kind.ts";
import { statefulSets } from "./stateful-set.ts";

/** The functions of each kind that Kubernetes has. */
const builtIn: Readonly<Record<BuiltInKind, ObjectKind>> = {
  Deployment: deployments,
  StatefulSet: statefulSets,
  DaemonSet: daemonSets,
  CronJob: cronJobs,
};

/** The functions of a kind, its collection, and the places of its images. */
export interface ReadKind extends ObjectKind {
  readonly plural: string;
  readonly kind: WorkloadKind;
  readonly places: ImagePlaces;
  /** The kind in the owner references of the objects that it makes. */
  readonly ownerKind: string;
  /** The custom resource that a cluster may lack. Absent for a built-in kind. */
  readonly resource?: Pick<CustomKindSpec, "group" | "version" | "plural">;
}

/** The kinds that a cluster is read for, by name. */
export type ReadKinds = ReadonlyMap<WorkloadKind, ReadKind>;

/** Returns the built-in kinds, and kinds of other operators. */
export function readKinds(custom: readonly CustomKindSpec[] = []): ReadKinds {
  const rows: readonly ReadKind[] = [
    ...builtInKinds.map((kind) => ({
      ...builtIn[kind],
      kind,
      ownerKind: kind,
      plural: kindSpecs[kind].plural,
      places: placesOf(kind),
    })),
    ...custom.map((spec) => ({
      ...customObjects(spec),
      kind: nameOf(spec),
      ownerKind: spec.kind,
      plural: spec.plural,
      places: spec.images,
      resource: spec,
    })),
  ];
  return new Map(rows.map((row) => [row.kind, row]));
}

/** The place of the pod template in an object. */
export type TemplatePath = "spec.template" | "spec.jobTemplate.spec.template";

/** The way in which a controller applies a changed pod template. */
export type RolloutStyle =
  /** New pods start beside the old pods. */
  | "surge"
  /** Pods are replaced one after the other. A broken pod stops the rollout until it is deleted. */
  | "in-order"
  /** Each node has one pod. Pods are replaced one after the other. */
  | "per-node"
  /** The next Job runs the new template. */
  | "by-jobs";

/** The names of a kind in the Kubernetes API, and the course of its rollouts. */
export interface WorkloadKindSpec {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  /** The short names that kubectl accepts. */
  readonly shortNames: readonly string[];
  readonly template: TemplatePath;
  readonly rollout: RolloutStyle;
  /** True if a change of an annotation raises the generation, as a change of the spec does. */
  readonly annotationsRaiseGeneration: boolean;
  /**
   * Further resources of the API group that Lookout reads to find the pods, each with the verbs
   * that Lookout needs.
   */
  readonly reads: Readonly<Record<string, readonly string[]>>;
}

const rows = {
  Deployment: {
    group: "apps",
    version: "v1",
    plural: "deployments",
    shortNames: ["deploy"],
    template: "spec.template",
    rollout: "surge",
    annotationsRaiseGeneration: true,
    reads: { replicasets: ["list"] },
  },
  StatefulSet: {
    group: "apps",
    version: "v1",
    plural: "statefulsets",
    shortNames: ["sts"],
    template: "spec.template",
    rollout: "in-order",
    annotationsRaiseGeneration: false,
    reads: { controllerrevisions: ["list"] },
  },
  DaemonSet: {
    group: "apps",
    version: "v1",
    plural: "daemonsets",
    shortNames: ["ds"],
    template: "spec.template",
    rollout: "per-node",
    annotationsRaiseGeneration: false,
    reads: { controllerrevisions: ["list"] },
  },
  CronJob: {
    group: "batch",
    version: "v1",
    plural: "cronjobs",
    shortNames: ["cj"],
    template: "spec.jobTemplate.spec.template",
    rollout: "by-jobs",
    annotationsRaiseGeneration: false,
    reads: { jobs: ["list", "watch"] },
  },
} as const satisfies Readonly<Record<string, WorkloadKindSpec>>;

/** A kind of workload, in the spelling of the Kubernetes API. */
export type WorkloadKind = keyof typeof rows;

/**
 * The kinds of workload that Lookout updates. src/adapters/kubernetes/kinds/ has a file for each.
 */
export const kindSpecs: Readonly<Record<WorkloadKind, WorkloadKindSpec>> = rows;

/** The kinds of {@link kindSpecs}, in their order. */
export const workloadKinds = Object.keys(rows) as readonly WorkloadKind[];

/** Returns the `apiVersion` of a kind's objects. */
export function apiVersionOf(kind: WorkloadKind): string {
  const { group, version } = kindSpecs[kind];
  return `${group}/${version}`;
}

/**
 * Returns the kind that has this name, in upper or lower case: `Deployment`, `deployment` or
 * `deploy`.
 */
export function kindNamed(name: string): WorkloadKind | undefined {
  const wanted = name.toLowerCase();
  return workloadKinds.find((kind) => kindNames(kind).includes(wanted));
}

/** Returns the names of a kind in lower case, the full name first. */
export function kindNames(kind: WorkloadKind): readonly string[] {
  return [kind.toLowerCase(), ...kindSpecs[kind].shortNames];
}

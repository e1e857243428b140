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

/** A kind of workload that Kubernetes has, in the spelling of the Kubernetes API. */
export type BuiltInKind = keyof typeof rows;

/**
 * A kind of another operator, which `lookout.yaml` names: the kind in lower case, a dot and the API
 * group, such as `rollout.argoproj.io`.
 */
export type CustomKind = `${string}.${string}`;

/** A kind of workload. */
export type WorkloadKind = BuiltInKind | CustomKind;

/**
 * The kinds of workload that Lookout updates without configuration. src/adapters/kubernetes/kinds/
 * has a file for each.
 */
export const kindSpecs: Readonly<Record<BuiltInKind, WorkloadKindSpec>> = rows;

/** The kinds of {@link kindSpecs}, in their order. */
export const builtInKinds = Object.keys(rows) as readonly BuiltInKind[];

/** Returns whether Kubernetes itself has a kind. */
export function isBuiltIn(kind: WorkloadKind): kind is BuiltInKind {
  return Object.hasOwn(rows, kind);
}

const customKind = /^[a-z][a-z0-9]{0,62}(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+$/;

/** Returns whether a text is a kind as records store it: `Deployment`, or `rollout.argoproj.io`. */
export function isWorkloadKind(text: string): text is WorkloadKind {
  return Object.hasOwn(rows, text) || (text.length <= 317 && customKind.test(text));
}

/** Returns the name of another operator's kind. */
export function customKindOf({ kind, group }: { readonly kind: string; readonly group: string }): CustomKind {
  return `${kind.toLowerCase()}.${group}`;
}

/** Returns how a kind's controller applies a changed pod template. */
export function rolloutStyleOf(kind: WorkloadKind): RolloutStyle {
  return isBuiltIn(kind) ? kindSpecs[kind].rollout : "surge";
}

/**
 * Returns whether a change of an annotation raises the generation. The generation of a custom
 * resource counts the changes outside of its metadata and its status.
 */
export function annotationsRaiseGeneration(kind: WorkloadKind): boolean {
  return isBuiltIn(kind) && kindSpecs[kind].annotationsRaiseGeneration;
}

/** Returns the `apiVersion` of a kind's objects. */
export function apiVersionOf(kind: BuiltInKind): string {
  const { group, version } = kindSpecs[kind];
  return `${group}/${version}`;
}

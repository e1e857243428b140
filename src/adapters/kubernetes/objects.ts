/*
 * The objects of the API server, as JSON. Instants are texts. Any field that is not listed here may
 * be missing. The generated models drop unknown fields, so only their types are used.
 */
import type {
  CoreV1Event,
  V1Container,
  V1ContainerStatus,
  V1ControllerRevision,
  V1DeploymentCondition,
  V1JobStatus,
  V1LabelSelector,
  V1LabelSelectorRequirement,
  V1ManagedFieldsEntry,
  V1ObjectMeta,
  V1OwnerReference,
  V1PodStatus,
  V1ReplicaSetStatus,
  V1Status,
} from "@kubernetes/client-node";
import type { TemplateVolume } from "#domain/workload/pod-template";

/** A generated type in the form of its JSON. */
export type Json<T> = unknown extends T
  ? unknown
  : T extends Date
    ? string
    : T extends readonly (infer Item)[]
      ? readonly Json<Item>[]
      : string extends keyof T
        ? Readonly<T>
        : T extends object
          ? { readonly [Key in keyof T]?: Json<T[Key]> }
          : T;

/** The JSON form with fields that the API server always writes. */
type With<T, Keys extends keyof T> = Json<T> & { readonly [Key in Keys]-?: Json<NonNullable<T[Key]>> };

/** `metadata` of any object. */
export type ObjectMeta = With<Omit<V1ObjectMeta, "ownerReferences">, "name" | "uid"> & {
  readonly ownerReferences?: readonly With<V1OwnerReference, "kind" | "name" | "uid">[];
};

/** An object of the API. Each kind of workload has its own type in `kinds`. */
export interface ApiObject<Spec, Status = unknown> {
  readonly metadata: ObjectMeta;
  readonly spec: Spec;
  readonly status?: Json<Status>;
}

/** An object of a workload kind. Only the request shows its kind. */
export type WorkloadObject = Pick<ApiObject<object>, "metadata" | "spec">;

/** An entry of `metadata.managedFields`. */
export type ManagedFields = Json<V1ManagedFieldsEntry>;

type Container = With<V1Container, "name">;

interface PodSpec {
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly volumes?: readonly TemplateVolume[];
}

/** A pod template. The API server always writes its `metadata`, but not the maps in it. */
export interface PodTemplate {
  readonly metadata?: Json<V1ObjectMeta>;
  readonly spec: PodSpec;
}

/** A label selector of an object. */
export type LabelSelector = Json<Omit<V1LabelSelector, "matchExpressions">> & {
  readonly matchExpressions?: readonly With<V1LabelSelectorRequirement, "key" | "operator">[];
};

/** A spec with a pod template, and the selector of its pods. */
export type Rollout<Spec> = Json<Omit<Spec, "selector" | "template">> & {
  readonly selector: LabelSelector;
  readonly template: PodTemplate;
};

/** A ReplicaSet. */
export type ReplicaSet = ApiObject<{ readonly template: PodTemplate }, V1ReplicaSetStatus>;

/** A ControllerRevision, which stores a template of a StatefulSet or DaemonSet. */
export type ControllerRevision = Pick<WorkloadObject, "metadata"> &
  With<Pick<V1ControllerRevision, "revision">, "revision">;

/** A Job. */
export type Job = ApiObject<{ readonly selector?: LabelSelector; readonly template: PodTemplate }, V1JobStatus>;

/** A pod. */
export type Pod = ApiObject<PodSpec, V1PodStatus>;

/** An entry of `status.containerStatuses` or `status.initContainerStatuses`. */
export type ContainerStatus = Json<V1ContainerStatus>;

/** An entry of `status.conditions`, of any kind. */
export type Condition = Json<V1DeploymentCondition>;

/** An event of the core API. Missing instants are `null`. */
export type CoreEvent = Pick<WorkloadObject, "metadata"> &
  Json<Pick<CoreV1Event, "reason" | "message" | "series">> & {
    readonly lastTimestamp?: string | null;
    readonly eventTime?: string | null;
  };

/** A list of objects. An empty list of metadata has `items: null`. */
export interface ObjectList<Item> {
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items?: readonly Item[] | null;
}

/**
 * The body of a rejection. A 404 without `details.name` means that the API itself is missing. The
 * `message` may quote the whole object, so Lookout never shows, logs or stores the message.
 */
export type StatusBody = Json<V1Status>;

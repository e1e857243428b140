/*
 * What the adapter reads of the API server's objects, as JSON: instants are texts, and any field may be missing.
 * The generated models are not used, because they drop fields that they do not know and turn instants into dates.
 */

/** An entry of `metadata.ownerReferences`. */
export interface OwnerReference {
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
}

/** An entry of `metadata.managedFields`. */
export interface ManagedFields {
  readonly manager?: string;
  readonly operation?: string;
  readonly subresource?: string;
  readonly time?: string;
  readonly fieldsV1?: unknown;
}

/** `metadata` of any object. */
export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly managedFields?: readonly ManagedFields[];
}

/** A container of a pod template or a pod. */
export interface Container {
  readonly name: string;
  readonly image?: string;
}

/** The part of a pod's spec that a template shares. */
export interface PodSpec {
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
}

/** A pod template; `metadata` is always written by the API server, its maps are not. */
export interface PodTemplate {
  readonly metadata?: Pick<ObjectMeta, "labels" | "annotations">;
  readonly spec: PodSpec;
}

/** A label selector as objects hold it. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}

/** An entry of `status.conditions`. */
export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
  readonly lastUpdateTime?: string;
}

interface RolloutSpec {
  readonly replicas?: number;
  readonly selector: LabelSelector;
  readonly template: PodTemplate;
  readonly updateStrategy?: { readonly type?: string; readonly rollingUpdate?: { readonly partition?: number } };
}

interface RolloutStatus {
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly updatedReplicas?: number;
  readonly availableReplicas?: number;
  readonly conditions?: readonly Condition[];
}

/** A Deployment. */
export interface Deployment {
  readonly metadata: ObjectMeta;
  readonly spec: RolloutSpec & { readonly paused?: boolean };
  readonly status?: RolloutStatus;
}

/** A StatefulSet. */
export interface StatefulSet {
  readonly metadata: ObjectMeta;
  readonly spec: RolloutSpec & {
    readonly ordinals?: { readonly start?: number };
    readonly podManagementPolicy?: string;
  };
  readonly status?: RolloutStatus & { readonly currentRevision?: string; readonly updateRevision?: string };
}

/** A DaemonSet. */
export interface DaemonSet {
  readonly metadata: ObjectMeta;
  readonly spec: RolloutSpec;
  readonly status?: {
    readonly observedGeneration?: number;
    readonly desiredNumberScheduled?: number;
    readonly updatedNumberScheduled?: number;
    readonly numberAvailable?: number;
  };
}

/** A CronJob. It has no `observedGeneration` and no selector. */
export interface CronJob {
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly suspend?: boolean;
    readonly jobTemplate: { readonly spec: { readonly template: PodTemplate } };
  };
}

/** An object of one of the four kinds, of which only the kind named in the request tells which. */
export interface WorkloadObject {
  readonly metadata: ObjectMeta;
  readonly spec: object;
}

/** A ReplicaSet. */
export interface ReplicaSet {
  readonly metadata: ObjectMeta;
  readonly spec: { readonly template: PodTemplate };
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/** A ControllerRevision: how StatefulSets and DaemonSets remember their templates. */
export interface ControllerRevision {
  readonly metadata: ObjectMeta;
  readonly revision: number;
}

/** A Job. */
export interface Job {
  readonly metadata: ObjectMeta;
  readonly spec: { readonly selector?: LabelSelector; readonly template: PodTemplate };
  readonly status?: { readonly startTime?: string; readonly conditions?: readonly Condition[] };
}

interface Terminated {
  readonly exitCode?: number;
  readonly reason?: string;
  readonly startedAt?: string;
}

/** An entry of `status.containerStatuses` or `status.initContainerStatuses`. */
export interface ContainerStatus {
  readonly name: string;
  readonly imageID?: string;
  readonly restartCount?: number;
  readonly state?: {
    readonly waiting?: { readonly reason?: string; readonly message?: string };
    readonly running?: { readonly startedAt?: string };
    readonly terminated?: Terminated;
  };
  readonly lastState?: { readonly terminated?: Terminated };
}

/** A pod. */
export interface Pod {
  readonly metadata: ObjectMeta;
  readonly spec: PodSpec;
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly Condition[];
    readonly containerStatuses?: readonly ContainerStatus[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
  };
}

/** An event of the core API. */
export interface CoreEvent {
  readonly metadata: ObjectMeta;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTimestamp?: string | null;
  readonly eventTime?: string | null;
  readonly series?: { readonly lastObservedTime?: string };
}

/** A list of objects; an empty list of metadata has `items: null`. */
export interface ObjectList<Item> {
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items?: readonly Item[] | null;
}

/** A refusal's body. Its `message` may hold the whole object: nothing shows, logs or stores it. */
export interface StatusBody {
  readonly reason?: string;
  readonly code?: number;
  readonly message?: string;
  readonly details?: {
    /** The object that was asked for; absent when the API itself is missing. */
    readonly name?: string;
    readonly causes?: readonly { readonly field?: string; readonly reason?: string }[];
  };
}

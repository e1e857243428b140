import { type Result, ok, problem } from "../shared/result.ts";
import type { EpochMs } from "../shared/time.ts";
import { builtInKinds, isWorkloadKind, type WorkloadKind } from "./kinds.ts";
import type { Placement } from "./placement.ts";
import type { PullPolicy } from "./pull-policy.ts";

/** The name of a workload. `cluster` is the cluster's name in Lookout, not an ARN or a context. */
export interface WorkloadName {
  readonly cluster: string;
  readonly namespace: string;
  readonly kind: WorkloadKind;
  readonly name: string;
}

/**
 * The lists of a pod template whose images Lookout may write. `volumes`: image volumes.
 * @see https://kubernetes.io/docs/concepts/storage/volumes/#image
 */
export type ContainerList = "containers" | "initContainers" | "volumes";

/** What the name of an image volume begins with. A container's name has no dot. */
export const volumePrefix = "volume.";

/**
 * The owner of a container's image field in `metadata.managedFields`. Any program can use the name
 * of another program.
 */
export interface FieldOwner {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
}

/** A container of the pod template, with the image text of the manifest. */
export interface LiveContainer {
  readonly list: ContainerList;
  /**
   * The position of the container in its list, from 0. A patch tests that the container's name is
   * still at this position.
   */
  readonly index: number;
  /** The name of the container, unique over all lists: `api`, or `volume.models` for an image volume. */
  readonly name: string;
  readonly image: string;
  /**
   * Present if the object has no image of the container. `image` is then the repository that
   * `initialImages` of `lookout.yaml` names, without a tag.
   */
  readonly isUnset?: true;
  /** The registry's own host, if the image names an alias. */
  readonly registry?: string;
  /** The `imagePullPolicy`. Absent if the object has none. */
  readonly pullPolicy?: PullPolicy;
  /**
   * The writer of the image field. Absent if `managedFields` lacks the field. Any user may empty
   * `managedFields`.
   */
  readonly imageOwner?: FieldOwner;
}

/** The maps that the object has. A JSON Patch has to add a missing map before it adds a key. */
export interface ExistingMaps {
  readonly labels: boolean;
  readonly annotations: boolean;
  /** The annotations of the pod template. */
  readonly templateAnnotations: boolean;
  /** The labels of the pod template. */
  readonly templateLabels: boolean;
}

/** The parts of a workload that decisions use, from one read. */
export interface LiveWorkload {
  readonly workload: WorkloadName;
  readonly uid: string;
  /**
   * The generation of the object. The generation rises with every change of the spec. The
   * generation of a Deployment also rises with every change of its annotations.
   */
  readonly generation: number;
  readonly annotations: Readonly<Record<string, string>>;
  /** The keys among the annotations that definitions declare, and the object does not have. Absent if there are none. */
  readonly declared?: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  /** The labels that rules of `lookout.yaml` name, which a record always keeps. Absent if there is none. */
  readonly namedLabels?: Readonly<Record<string, string>>;
  readonly existingMaps: ExistingMaps;
  /** The containers in the order of the manifest, then the init containers. */
  readonly containers: readonly LiveContainer[];
  /** `kubectl.kubernetes.io/restartedAt` of the pod template. */
  readonly restartedAt?: string;
  /**
   * The labels of the pod template with {@link attributePrefix}, by key without it. Absent if there is
   * none.
   */
  readonly attributeLabels?: Readonly<Record<string, string>>;
  /**
   * `kind/name` of the owner reference with `controller: true`. The controller would revert a
   * patch.
   */
  readonly controller?: string;
  /**
   * Present if the spec of the object pauses its rollouts, such as `spec.paused` of a Deployment. Its
   * pods keep their images until a user resumes the object.
   */
  readonly paused?: true;
  /** The rules about the nodes of the pods. Absent if the pods may land on every node. */
  readonly placement?: Placement;
  /**
   * The program that last wrote the images or the restart, for messages. The instant is in whole
   * seconds.
   */
  readonly lastWriter?: { readonly manager: string; readonly at: EpochMs };
}

/**
 * The field manager of Lookout's writes. This name never changes, because users configure other
 * programs with it.
 */
export const fieldManager = "lookout";

/**
 * The label that proves that the cluster applied a patch. `kubectl rollout undo` restores
 * annotations, but no labels.
 */
export const updateLabelKey = "lookout.dev/update";

/**
 * The annotation of the pod template that restarts the pods, as `kubectl rollout restart` writes
 * it.
 */
export const restartedAtKey = "kubectl.kubernetes.io/restartedAt";

/** The prefix of the labels of the pod template that show attributes of the images. */
export const attributePrefix = "attribute.lookout.dev/";

/** The maps of a pod template's metadata. */
interface TemplateMaps {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Returns which maps a pod template has. */
export function templateMapsIn(
  metadata: TemplateMaps | undefined,
): Pick<ExistingMaps, "templateAnnotations" | "templateLabels"> {
  return {
    templateAnnotations: metadata?.annotations !== undefined,
    templateLabels: metadata?.labels !== undefined,
  };
}

/** Returns the labels of a pod template with {@link attributePrefix}, by key without it. */
export function attributeLabelsIn(metadata: TemplateMaps | undefined): Pick<LiveWorkload, "attributeLabels"> {
  const found = Object.entries(metadata?.labels ?? {}).filter(([key]) => key.startsWith(attributePrefix));
  if (found.length === 0) return {};
  return {
    attributeLabels: Object.fromEntries(found.map(([key, value]) => [key.slice(attributePrefix.length), value])),
  };
}

/**
 * Returns a workload's name as one text, unique and readable: `prod/shop/deployment/api`.
 *
 * The kind is in lower case. {@link parseWorkloadKey} parses the text.
 */
export function workloadKey(workload: WorkloadName): string {
  return `${workload.cluster}/${workload.namespace}/${workload.kind.toLowerCase()}/${workload.name}`;
}

/** Returns `cluster/namespace`, the name of a namespace in all clusters. */
export function namespaceOf({ cluster, namespace }: Pick<WorkloadName, "cluster" | "namespace">): string {
  return `${cluster}/${namespace}`;
}

/** Returns the {@link namespaceOf} of each {@link workloadKey}, once. */
export function namespacesOf(keys: readonly string[]): readonly string[] {
  return [...new Set(keys.map((key) => namespacePrefix(key).slice(0, -1)))];
}

/** Returns `cluster/namespace/`, with which the keys of a namespace begin. */
export function namespacePrefix(key: string): string {
  return `${key.split("/").slice(0, 2).join("/")}/`;
}

/**
 * Parses the text of {@link workloadKey}. For any other text, the result is a problem that quotes
 * the text.
 */
export function parseWorkloadKey(key: string): Result<WorkloadName, string> {
  const [cluster, namespace, kindText, name, ...rest] = key.split("/");
  const kind = kindOfKey(kindText);
  if (!cluster || !namespace || !kind || !name || rest.length > 0)
    return problem(`"${key}" is not a workload: expected cluster/namespace/kind/name`);
  return ok({ cluster, namespace, kind, name });
}

function kindOfKey(text = ""): WorkloadKind | undefined {
  const builtIn = builtInKinds.find((candidate) => candidate.toLowerCase() === text);
  return builtIn ?? (isWorkloadKind(text) && text.includes(".") ? text : undefined);
}

/** Returns the update label of an update. `back` is the label of its rollback. */
export function updateLabelOf(installation: string, seq: number, direction: "forward" | "back"): string {
  return direction === "forward" ? `${installation}-${String(seq)}` : `${installation}-${String(seq)}-back`;
}

/**
 * Returns the image of a container on the object, or undefined if the object has no such container.
 */
export function imageOf(live: LiveWorkload, container: Pick<LiveContainer, "list" | "name">): string | undefined {
  return live.containers.find(({ list, name }) => list === container.list && name === container.name)?.image;
}

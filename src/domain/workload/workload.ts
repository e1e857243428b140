import { type Result, ok, problem } from "../shared/result.ts";
import type { EpochMs } from "../shared/time.ts";
import { type WorkloadKind, workloadKinds } from "./kinds.ts";

/** What a person calls a workload: the cluster by the owner's word in `lookout.yaml`, never an ARN or a context. */
export interface WorkloadName {
  readonly cluster: string;
  readonly namespace: string;
  readonly kind: WorkloadKind;
  readonly name: string;
}

/** The lists of a pod template that hold images which Lookout may write. */
export type ContainerList = "containers" | "initContainers";

/** Who owns the image field of a container by `metadata.managedFields`; the manager's name is its own claim. */
export interface FieldOwner {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
}

/** A container of the pod template, with the image exactly as the manifest spells it. */
export interface LiveContainer {
  readonly list: ContainerList;
  /** Position in its list, from 0: a guarded write names the container by it and tests that the name is still there. */
  readonly index: number;
  /** Unique over both lists. */
  readonly name: string;
  readonly image: string;
  /** The registry's own host, where the image names it by an alias. */
  readonly registry?: string;
  /** Absent when `managedFields` says nothing of this field: anyone may empty it. */
  readonly imageOwner?: FieldOwner;
}

/**
 * Which maps of the object exist at all. An empty one is not stored, and a JSON Patch can neither test nor add a key of a map that is not
 * there: it has to add the map.
 */
export interface LiveMaps {
  readonly labels: boolean;
  readonly annotations: boolean;
  /** The annotations of the pod template. */
  readonly templateAnnotations: boolean;
}

/** A workload as one read of the API server showed it, in the parts that decisions rest on. */
export interface LiveWorkload {
  readonly workload: WorkloadName;
  readonly uid: string;
  /** Rises with every change of the spec; a Deployment's also with its annotations. */
  readonly generation: number;
  readonly annotations: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly maps: LiveMaps;
  /** In the order of the manifest: containers first, then init containers. */
  readonly containers: readonly LiveContainer[];
  /** `kubectl.kubernetes.io/restartedAt` of the pod template. */
  readonly restartedAt?: string;
  /** `kind/name` of the owner reference that has `controller: true`: that controller would revert a patch. */
  readonly controller?: string;
  /** The person or program that wrote the images or the restart last, for messages; whole seconds. */
  readonly lastWriter?: { readonly manager: string; readonly at: EpochMs };
}

/** The field manager of Lookout's writes. It never changes: people tell other programs to leave this manager's fields alone. */
export const fieldManager = "lookout";

/** The label that carries the evidence that a patch landed. A label, because `kubectl rollout undo` brings back old annotations. */
export const updateLabelKey = "lookout.dev/update";

/** The annotation of the pod template that restarts the pods when it changes; `kubectl rollout restart` writes the same. */
export const restartedAtKey = "kubectl.kubernetes.io/restartedAt";

/**
 * Writes a workload's name as one text, unique and readable: `prod/shop/deployment/api`.
 *
 * The kind is in lower case. {@link parseWorkloadKey} reads it back.
 */
export function workloadKey(workload: WorkloadName): string {
  return `${workload.cluster}/${workload.namespace}/${workload.kind.toLowerCase()}/${workload.name}`;
}

/** Reads the text that {@link workloadKey} writes; anything else is a problem that shows the text. */
export function parseWorkloadKey(key: string): Result<WorkloadName, string> {
  const [cluster, namespace, kindText, name, ...rest] = key.split("/");
  const kind = workloadKinds.find((candidate) => candidate.toLowerCase() === kindText);
  if (!cluster || !namespace || !kind || !name || rest.length > 0)
    return problem(`"${key}" is not a workload: expected cluster/namespace/kind/name`);
  return ok({ cluster, namespace, kind, name });
}

/** Says what Lookout's label on the object should read for an update. `back` is the label of its rollback. */
export function updateLabelOf(installation: string, seq: number, direction: "forward" | "back"): string {
  return direction === "forward" ? `${installation}-${String(seq)}` : `${installation}-${String(seq)}-back`;
}

/** Reads the image that stands on the object for a container; undefined when there is no such container. */
export function imageOf(live: LiveWorkload, container: Pick<LiveContainer, "list" | "name">): string | undefined {
  return live.containers.find(({ list, name }) => list === container.list && name === container.name)?.image;
}

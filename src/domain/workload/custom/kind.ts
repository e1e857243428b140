import type { FieldPath, ImagePlaces } from "../image-places.ts";
import { type CustomKind, customKindOf } from "../kinds.ts";
import type { Statement } from "./statement.ts";

/** How the pods of an object are found. */
export type PodsRule =
  /** The field has a label selector. */
  | { readonly kind: "selector"; readonly path: FieldPath }
  /** Each label of the pods has the value of a field of the object. */
  | { readonly kind: "labels"; readonly labels: Readonly<Record<string, FieldPath>> }
  /** The owner references of the pods lead to the object, directly or through other workloads. */
  | { readonly kind: "owner" };

/** The label of the pods that names their revision, and the field of the object with its value. */
export interface RevisionRule {
  readonly label: string;
  readonly path: FieldPath;
}

/** A field whose presence makes an object unusable for Lookout, and why. */
export interface RefusedField {
  readonly path: FieldPath;
  readonly because: string;
}

/** A kind of another operator. */
export interface CustomKindSpec {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  /** The kind in the spelling of its API. */
  readonly kind: string;
  readonly images: ImagePlaces;
  readonly pods: PodsRule;
  /** Absent: the pods whose containers have the object's images are the pods of its revision. */
  readonly revision?: RevisionRule;
  /** The field with the number of wanted pods. Absent if the object has none. */
  readonly replicas?: FieldPath;
  /** The field with the generation that the operator observed. Absent if the object has none. */
  readonly observedGeneration?: FieldPath;
  /** All hold for an object whose pods run its images. */
  readonly ready: readonly Statement[];
  /** One holds for a rollout that failed. */
  readonly failed: readonly Statement[];
  /** One holds for a rollout that waits for a user or a time. */
  readonly paused: readonly Statement[];
  /** The field with a text that says why a rollout failed. */
  readonly message?: FieldPath;
  /** True if a ready object may have no pods. */
  readonly scalesToZero: boolean;
  readonly refused: readonly RefusedField[];
  /** The annotations of the object that its operator writes at each change of the spec. */
  readonly annotationsOfOperator: readonly string[];
}

/** Returns the kind of a row, as records name it. */
export function nameOf(spec: Pick<CustomKindSpec, "group" | "kind">): CustomKind {
  return customKindOf(spec);
}

import type { WhatChanged } from "../image/comparison.ts";
import type { ImageName } from "../image/reference.ts";
import type { EpochMs } from "../shared/time.ts";
import type { ContainerList, ExistingMaps, WorkloadName } from "./workload.ts";

/**
 * The form in which a change is written: `repo:tag@digest`, `repo:tag`, or a new `restartedAt` with
 * the same image.
 */
export type Apply = "pin" | "tag" | "restart";

/** The image to which a failed update returns. */
export interface RollbackImage {
  readonly tag: string;
  readonly digest: string;
  /** The image text to write. */
  readonly to: string;
}

/** The desired change of one container. */
export interface ImageChange {
  readonly list: ContainerList;
  readonly name: string;
  readonly imageName: ImageName;
  readonly tag: string;
  /** The digest of the tag at its selection: the digest of the index, if there is one. */
  readonly digest: string;
  /**
   * The digests of the platforms of the index, which pods may report instead of `digest`. Empty for
   * a single image. Absent if they are unknown, or too many, or the change is no restart.
   */
  readonly platformDigests?: readonly string[];
  readonly apply: Apply;
  /**
   * The known image text. After Lookout has stored the intent, `from` is exactly the text that the
   * patch replaces.
   */
  readonly from: string;
  /** The image text to write; equal to `from` for a restart. */
  readonly to: string;
  /**
   * Present if the object has no image before the change: `from` is the repository that `lookout.yaml`
   * names. A rollback has nothing to write.
   */
  readonly isFirst?: true;
  /** The digest that the container ran with `from`. Absent if the digest is unknown. */
  readonly fromDigest?: string;
  /** The image that a rollback writes, if `lookout.dev/rollback-to` names it. Absent: `from`. */
  readonly back?: RollbackImage;
  /** The policy that selected the image, as users write it: `semver >=1 <2`. */
  readonly policy: string;
  /**
   * The named groups of the patterns for the tag, with `tag` and `name`. Absent if no pattern names
   * a group.
   */
  readonly attributes?: Readonly<Record<string, string>>;
  /**
   * The platforms of the new image, as `os/architecture[/variant]`. Absent if no rule needs them.
   */
  readonly offers?: readonly string[];
  /** The platforms of the replaced image. Absent if no rule needs them, or they are unknown. */
  readonly fromOffers?: readonly string[];
  /** The origins of both images. Absent if the new image states none. */
  readonly whatChanged?: WhatChanged;
}

/**
 * A guarded change of one annotation of a workload, for users. Lookout writes the change only if
 * uid, generation and the annotation are unchanged since the read. The change restarts no pod.
 */
export interface AnnotationPatch {
  readonly workload: WorkloadName;
  readonly uid: string;
  readonly generation: number;
  /** True if the object has annotations. */
  readonly hasAnnotations: boolean;
  readonly key: string;
  /** The present value. Undefined if the object does not have the annotation. */
  readonly from: string | undefined;
  /** The new value. Undefined if the patch removes the annotation. */
  readonly to: string | undefined;
}

/** The change of the labels of the pods that show attributes, by key without prefix. */
export interface LabelChange {
  /** All of these labels on the object's pod template. */
  readonly from: Readonly<Record<string, string>>;
  /** All of these labels afterwards. A key that only `from` has is removed. */
  readonly to: Readonly<Record<string, string>>;
}

/** One image to write, with the exact text that it replaces. */
export interface ImageWrite {
  readonly list: ContainerList;
  /** The position of the container in its list, at the read. */
  readonly index: number;
  readonly name: string;
  readonly from: string;
  /** Present if the object had no image at the read: `from` is only the repository, and is in no object. */
  readonly isFirst?: true;
  readonly to: string;
}

/**
 * A guarded change of one workload, derived from one read of its object.
 *
 * Lookout writes the change only if uid, generation, names, images, label and
 * `unchangedAnnotations` are unchanged since the read. The rest of the object does not change.
 * @see https://datatracker.ietf.org/doc/html/rfc6902
 */
export interface WorkloadPatch {
  readonly workload: WorkloadName;
  readonly uid: string;
  readonly generation: number;
  /**
   * The maps that the object had at the read. If another program has added a map since, the guards
   * fail.
   */
  readonly existingMaps: ExistingMaps;
  readonly images: readonly ImageWrite[];
  /**
   * The change of the text that restarts the pods. `from` is undefined if the object has no such
   * text. An undefined `to` removes the text.
   */
  readonly restart?: { readonly from: string | undefined; readonly to: string | undefined };
  /** The change of the pods' labels with attributes. Absent if they do not change. */
  readonly attributeLabels?: LabelChange;
  /**
   * The change of the label {@link updateLabelKey}. `from` is undefined if the object has no such
   * label.
   */
  readonly updateLabel: { readonly from: string | undefined; readonly to: string };
  /**
   * All annotations of the object at the read, because each may close a gate, and so may an added
   * annotation. Absent if the generation shows a change of them, or the decision used none.
   */
  readonly unchangedAnnotations?: Readonly<Record<string, string>>;
  /**
   * The annotations to write together with the images (`lookout.dev/status.*`). Undefined removes a
   * present annotation.
   */
  readonly annotations: Readonly<Record<string, string | undefined>>;
  /**
   * Lookout does not send the patch after this instant, because the reads behind the patch are then
   * too old. Absent if there is no limit.
   */
  readonly sendBy?: EpochMs;
}

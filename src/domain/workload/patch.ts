import type { EpochMs } from "../shared/time.ts";
import type { ContainerList, ExistingMaps, WorkloadName } from "./workload.ts";

/**
 * How a change is written: `repo:tag@digest`, `repo:tag`, or a new `restartedAt` with the same
 * image.
 */
export type Apply = "pin" | "tag" | "restart";

/** The desired change of one container. */
export interface ImageChange {
  readonly list: ContainerList;
  readonly name: string;
  /** `registry/path`, without tag. */
  readonly repository: string;
  readonly tag: string;
  /** The digest of the tag when it was selected: an index's, if there is one. */
  readonly digest: string;
  readonly apply: Apply;
  /** The known image text; from the intent on, exactly the text that the patch replaces. */
  readonly from: string;
  /** The image text to write; equal to `from` for a restart. */
  readonly to: string;
  /** The digest that `from` ran, if it is known. */
  readonly fromDigest?: string;
  /** The policy that selected it, as users write it: `semver >=1 <2`. */
  readonly policy: string;
  /** The named groups of the patterns for the tag, with `tag` and `name`. Absent: no pattern names a group. */
  readonly attributes?: Readonly<Record<string, string>>;
  /** The platforms of the new image, as `os/architecture[/variant]`. Absent: no rule asked for them. */
  readonly offers?: readonly string[];
  /** Those of the image that it replaces. Absent: no rule asked for them, or they are not known. */
  readonly fromOffers?: readonly string[];
}

/**
 * A guarded change of one annotation of a workload, for people. It is written only if uid, generation
 * and the annotation are as read. It changes no pod.
 */
export interface AnnotationPatch {
  readonly workload: WorkloadName;
  readonly uid: string;
  readonly generation: number;
  /** Whether the object has annotations. */
  readonly hasAnnotations: boolean;
  readonly key: string;
  /** Undefined: the object does not have it. */
  readonly from: string | undefined;
  /** Undefined removes it. */
  readonly to: string | undefined;
}

/** One image to write, with the exact text that it replaces. */
export interface ImageWrite {
  readonly list: ContainerList;
  /** The position in its list at the read. */
  readonly index: number;
  readonly name: string;
  readonly from: string;
  readonly to: string;
}

/**
 * A guarded change of one workload, derived from one read of it.
 *
 * It is written only if uid, generation, names, images, label and `unchangedAnnotations` are as
 * read. Everything else of the object stays.
 * @see https://datatracker.ietf.org/doc/html/rfc6902
 */
export interface WorkloadPatch {
  readonly workload: WorkloadName;
  readonly uid: string;
  readonly generation: number;
  /** The maps that the object has. The guards fail if one appeared since. */
  readonly existingMaps: ExistingMaps;
  readonly images: readonly ImageWrite[];
  /**
   * Present for a restart: the new text, and the one that it replaces (undefined: none). `to`
   * undefined removes it.
   */
  readonly restart?: { readonly from: string | undefined; readonly to: string | undefined };
  /** The label {@link updateLabelKey}: its value before (undefined: absent), and the new one. */
  readonly updateLabel: { readonly from: string | undefined; readonly to: string };
  /**
   * Annotations that the decision rests on; undefined: must be absent. A Deployment's generation
   * covers them.
   */
  readonly unchangedAnnotations: Readonly<Record<string, string | undefined>>;
  /** Annotations to set in the same write (`lookout.dev/status.*`); undefined removes one that the object has. */
  readonly annotations: Readonly<Record<string, string | undefined>>;
  /** It is not sent after this instant, because its reads are too old then. Absent: no limit. */
  readonly sendBy?: EpochMs;
}

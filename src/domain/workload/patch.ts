import type { EpochMs } from "../shared/time.ts";
import type { ContainerList, LiveMaps, WorkloadName } from "./workload.ts";

/** How a change is written: `repo:tag@digest`, `repo:tag`, or `restartedAt` of the pod template with the image as it stands. */
export type Apply = "pin" | "tag" | "restart";

/** What an update wants of one container. */
export interface ImageChange {
  readonly list: ContainerList;
  readonly name: string;
  /** `registry/path`, without tag. */
  readonly repository: string;
  readonly tag: string;
  /** What the tag named when it was selected: an index's digest where there is an index. */
  readonly digest: string;
  readonly apply: Apply;
  /** The image text that is there now, as far as Lookout knows; from the intent on, exactly what the patch replaces. */
  readonly from: string;
  /** The image text to write; equal to `from` for a restart. */
  readonly to: string;
  /** The digest that `from` ran, where that is known. */
  readonly fromDigest?: string;
  /** The policy that selected it, as a person writes it: `semver >=1 <2`. */
  readonly policy: string;
}

/** One image to write, with the exact text that must stand there before. */
export interface ImageWrite {
  readonly list: ContainerList;
  /** Position in its list, as the read showed it. */
  readonly index: number;
  readonly name: string;
  readonly from: string;
  readonly to: string;
}

/**
 * A guarded change of one workload, derived from one read of it.
 *
 * It is written only if the object is still as that read showed it: uid, generation, container names, old images, old label and
 * the annotations in `unchangedAnnotations`. Everything else of the object stays as it is.
 * @see https://datatracker.ietf.org/doc/html/rfc6902
 */
export interface WorkloadPatch {
  readonly workload: WorkloadName;
  readonly uid: string;
  readonly generation: number;
  /** Which maps the read found; another state of them fails the guards. */
  readonly maps: LiveMaps;
  readonly images: readonly ImageWrite[];
  /** Present for a restart: the text to write, and the one that must stand there before (undefined: none). `to` undefined removes it. */
  readonly restart?: { readonly from: string | undefined; readonly to: string | undefined };
  /** The label {@link updateLabelKey}: must read `from` (undefined: absent), will read `to`. */
  readonly updateLabel: { readonly from: string | undefined; readonly to: string };
  /** Annotations that the decision rests on, by key; undefined: must be absent. A Deployment's generation covers them already. */
  readonly unchangedAnnotations: Readonly<Record<string, string | undefined>>;
  /** Annotations to set in the same write (`lookout.dev/status.*`). */
  readonly annotations: Readonly<Record<string, string>>;
  /** After this instant it is not sent any more: what let it through was read too long ago. Absent: it may be sent whenever. */
  readonly sendBy?: EpochMs;
}

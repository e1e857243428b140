import type { EpochMs } from "../shared/time.ts";
import type { LiveWorkload } from "./workload.ts";

/**
 * The digests that pods report, by container name. Each list has at least one digest and no
 * repeats.
 */
export type RunningImages = Readonly<Record<string, readonly string[]>>;

/** The reason why a rollout without errors makes no progress. */
export type RolloutWait =
  /** `spec.paused` is true. The deadline starts when a user resumes the workload. */
  | "paused"
  /** With the update strategy OnDelete, Kubernetes waits until the pods are deleted. */
  | "on-delete"
  /** An ordered StatefulSet waits until a broken pod of another revision is deleted. */
  | "broken-pod"
  /** A CronJob runs the image in its next Job. */
  | "next-job";

/** The reason why running pods can't be checked. */
export type Unverifiable =
  /** `spec.replicas` is 0, or the DaemonSet needs no pod on any node. */
  | "nothing-to-run"
  /** A suspended CronJob makes no Jobs. */
  | "cronjob-suspended";

/** A fault of a pod that may end by itself. */
export type LastingFault =
  /** The registry limits pulls, which says nothing about the image. */
  | "limited"
  /** A quota leaves no room for the pods, which says nothing about the image. */
  | "quota"
  /** An admission webhook gives no answer about the pods, which says nothing about the image. */
  | "webhook"
  /** A pull failed, and Kubernetes does not say why. */
  | "backing-off"
  | "lasting";

/** The health of a workload's current revision, with the object from which it was read. */
export type Health =
  | {
      readonly kind: "healthy";
      readonly live: LiveWorkload;
      /**
       * The instant at which the last pod of the revision became ready, by the node's clock, ±1 s.
       */
      readonly runningSince?: EpochMs;
      readonly pods: number;
      /**
       * The container restarts of the revision's pods. If the number rises after the first healthy
       * check, a container has crashed.
       */
      readonly restarts: number;
    }
  | {
      readonly kind: "progressing";
      readonly live: LiveWorkload;
      readonly ready: number;
      readonly wanted: number;
      readonly detail: string;
      /** The fault that `detail` describes. Absent if no pod has a fault. */
      readonly fault?: LastingFault;
      /** The containers with this fault. Absent if the fault names none. */
      readonly containers?: readonly string[];
      /** True if the containers start, and exit again. */
      readonly crashes?: true;
    }
  | { readonly kind: "waiting"; readonly live: LiveWorkload; readonly why: RolloutWait }
  | { readonly kind: "unverifiable"; readonly live: LiveWorkload; readonly why: Unverifiable }
  /**
   * A failure that does not end by itself: an image that does not exist, crash loops, rejected pods,
   * a passed deadline.
   */
  | {
      readonly kind: "failed";
      readonly live: LiveWorkload;
      readonly detail: string;
      /** The containers that failed. Absent if the failure names none. */
      readonly containers?: readonly string[];
      /** True if the containers start, and exit again. */
      readonly crashes?: true;
      /** True if the cluster's admission denies the pods. */
      readonly isDenied?: true;
    };

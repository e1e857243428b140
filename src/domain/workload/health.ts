import type { EpochMs } from "../shared/time.ts";
import type { LiveWorkload } from "./workload.ts";

/** Digests that pods report, by container name; each list without repeats, at least one long. */
export type RunningImages = Readonly<Record<string, readonly string[]>>;

/** Why a rollout does not move although nothing is wrong with it. */
export type RolloutWait =
  /** `spec.paused`: the clock starts when it is resumed. */
  | "paused"
  /** Update strategy OnDelete: Kubernetes waits for someone to delete the pods. */
  | "on-delete"
  /** An ordered StatefulSet goes no further while a pod of another revision is broken: someone has to delete that pod. */
  | "broken-pod"
  /** A CronJob: the next Job will tell. */
  | "next-job";

/** Why nothing can be told about running pods. */
export type Unverifiable =
  /** `spec.replicas: 0`, or no node wants a pod of the DaemonSet. */
  | "nothing-to-run"
  /** A suspended CronJob makes no Jobs. */
  | "cronjob-suspended";

/** How the present revision of a workload is doing, and the object that the judgement was made on. */
export type Health =
  | {
      readonly kind: "healthy";
      readonly live: LiveWorkload;
      /** When the last pod of the revision became ready, by the node's clock, ±1 s. */
      readonly runningSince?: EpochMs;
      readonly pods: number;
      /** Sum of container restarts over the pods of the revision: a rise after the first healthy look is a crash. */
      readonly restarts: number;
    }
  | {
      readonly kind: "progressing";
      readonly live: LiveWorkload;
      readonly ready: number;
      readonly wanted: number;
      readonly detail: string;
    }
  | { readonly kind: "waiting"; readonly live: LiveWorkload; readonly why: RolloutWait }
  | { readonly kind: "unverifiable"; readonly live: LiveWorkload; readonly why: Unverifiable }
  /** A cause that waiting does not mend: pull and config faults, crash loops, refused pods, a passed progress deadline. */
  | { readonly kind: "failed"; readonly live: LiveWorkload; readonly cause: string };

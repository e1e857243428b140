/**
 * Patch numbers that make the simulated kubelets misbehave: an image tagged `1.4.66` can't be
 * pulled.
 *
 * The words `broken`, `crash` and `slow` in an image reference have the same effect.
 * `kubernetes/stages.yaml` declares them.
 */
export const patchNumber = {
  /** The pods stay in ImagePullBackOff. */
  broken: 66,
  /** The pods stay in CrashLoopBackOff, with a restart every 10 s. */
  crash: 77,
  /** The pods are Ready after 5 s. Pods of other images are Ready at once. */
  slow: 55,
} as const;

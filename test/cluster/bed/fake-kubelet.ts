/**
 * Patch numbers that make the simulated kubelets misbehave: an image tagged `1.4.66` can't be pulled.
 *
 * The words `broken`, `crash` and `slow` anywhere in an image reference do the same. Declared in
 * `kubernetes/stages.yaml`.
 */
export const patchNumber = {
  /** ImagePullBackOff for ever. */
  broken: 66,
  /** CrashLoopBackOff, one restart more every 10 s. */
  crash: 77,
  /** Ready after 5 s; every other image is Ready at once. */
  slow: 55,
} as const;

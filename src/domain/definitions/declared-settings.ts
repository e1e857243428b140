/**
 * The setting that names the definitions of a workload. No annotation of Kubernetes can have this key, so nobody can
 * write it.
 */
export const declaredBySetting = "declared by";
/** The setting that closes a workload whose definition has a fault. Nobody can write it either. */
export const declaredFaultSetting = "declared fault";

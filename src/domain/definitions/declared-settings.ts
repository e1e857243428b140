/**
 * The setting that names the definitions of a workload. No annotation of Kubernetes can have this key, so nobody can
 * write it.
 */
export const declaredBySetting = "declared by";
/** The setting that closes a workload whose definition has a fault. Nobody can write it either. */
export const declaredFaultSetting = "declared fault";
/** The setting that says where a workload is among the tiers of its definition. Nobody can write it either. */
export const declaredTiersSetting = "declared tiers";
/** The setting that says which versions of definitions give the settings of a workload. */
export const declaredVersionsSetting = "declared versions";
/** The policy of workloads whose ServiceImage names their image. Without one, they get no update. */
export const servicePolicy = "service-image";

/** Returns whether the text of a policy is {@link servicePolicy}. */
export function isServicePolicy(text: string | undefined): boolean {
  return text?.trim() === servicePolicy;
}

/** The settings of a workload that a ServiceImage decides about instead. */
export const decidedByService: ReadonlySet<string> = new Set([
  ...["semver-range", "allow-prerelease", "suffixes", "include-tags", "order", "allow-downgrade"],
]);

import type { WaitReason } from "../shared/wait-reason.ts";
import type { EarlierTier } from "./proof.ts";

/** What the tiers of `lookout.yaml` mean for a workload. */
export type TierFacts =
  /** `lookout.yaml` has no tiers, or the workload is in the first one. */
  | { readonly kind: "first" }
  /** The workload names a tier that `lookout.yaml` does not have. */
  | { readonly kind: "unknown"; readonly detail: string }
  /** The earlier tiers of the workload's group, in their order. At least one. */
  | {
      readonly kind: "after";
      readonly tier: string;
      readonly group: string;
      readonly earlier: readonly EarlierTier[];
    }
  /** Only the member for which the update waits was read, and the update still waits for it. */
  | { readonly kind: "still"; readonly wait: WaitReason };

import type { ImageName } from "../image/reference.ts";
import type { EpochMs } from "../shared/time.ts";
import type { BuiltInTarget } from "./target.ts";

/** The kinds of objects in a cluster that declare what Lookout does. */
export const definitionKinds = ["ImagePolicy", "ServiceImage", "ImageRegistry"] as const;
/** One of {@link definitionKinds}. */
export type DefinitionKind = (typeof definitionKinds)[number];

/** The place of a kind in the Kubernetes API. */
export interface DefinitionPlace {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}

export const definitionPlaces: Readonly<Record<DefinitionKind, DefinitionPlace>> = {
  ImagePolicy: { group: "operator.technomad.dev", version: "v1alpha1", plural: "imagepolicies" },
  ServiceImage: { group: "services.azurehealthcareapis.com", version: "v1alpha1", plural: "serviceimages" },
  ImageRegistry: { group: "registry.lookout.dev", version: "v1alpha1", plural: "imageregistries" },
};

/** An object as a cluster lists it. Anyone in its namespace may write anything into `spec`. */
export interface DefinitionObject {
  readonly kind: DefinitionKind;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation: number;
  readonly createdAt: EpochMs;
  readonly spec: unknown;
  readonly status: unknown;
}

/** What is wrong with a definition. */
export interface DefinitionFault {
  readonly reason: FaultReason;
  /** The field: `spec.tagPolicy.pattern`. */
  readonly place: string;
  /** What is wrong, and what is expected. */
  readonly message: string;
}

/** The reasons of a definition that can't be used, as its conditions tell them. */
export const faultReasons = [
  "InvalidRepository",
  "InvalidStrategy",
  "InvalidPattern",
  "PatternNotRead",
  "InvalidInterval",
  "InvalidTarget",
  "OtherNamespace",
  "InvalidImage",
  "InvalidTiers",
] as const;
/** One of {@link faultReasons}. */
export type FaultReason = (typeof faultReasons)[number];

/**
 * What a definition declares about one workload of its namespace. It is stored, and read again with each read of the
 * workload.
 */
export interface Declared {
  readonly kind: DefinitionKind;
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly createdAt: EpochMs;
  readonly generation: number;
  /** Absent if the definition names no workload of its namespace. */
  readonly target?: BuiltInTarget;
  /** The repository whose containers it is about. Absent with a fault. */
  readonly imageName?: ImageName;
  /** The settings of these containers, without their prefix: `policy`. Empty with a fault. */
  readonly settings: Readonly<Record<string, string>>;
  /** How often missed pushes are looked for: `5m`. */
  readonly interval?: string;
  /** The tiers of a ServiceImage, the highest priority first. Absent for any other kind, and with a fault. */
  readonly tiers?: readonly DeclaredTier[];
  readonly fault?: DefinitionFault;
  /**
   * True for a policy that is gone, or names another image, while its target rolls out an update. It gives the settings
   * until the rollout has ended, and begins no update.
   */
  readonly ends?: true;
  /** The instant at which Lookout read the present tiers of a ServiceImage. Absent for any other kind. */
  readonly tiersAt?: EpochMs;
  /**
   * True while all workloads of a ServiceImage, and at least one, are known to be in their tiers, with their images. Until
   * then, its lower tiers get no update, because a tier would count as empty before its workloads are evaluated.
   */
  readonly isPlaced?: true;
}

/** A tier of a ServiceImage. */
export interface DeclaredTier {
  /** The value of the label `upgrade-tier`. Empty: all workloads whose label no other tier has. */
  readonly upgradeTier: string;
  readonly priority: number;
  readonly tag: string;
}

import type { ApprovalRules } from "../approval/approvers.ts";
import type { RequestedApproval } from "../approval/state.ts";
import type { Vote } from "../approval/votes.ts";
import type { SettingProblem } from "../annotations/written-settings.ts";
import type { ApprovalSettings } from "../approval/approval-settings.ts";
import type { CheckFacts } from "../checks/facts.ts";
import type { SelectionRule } from "../policy/policy.ts";
import type { MaintenanceWindow } from "../schedule/window.ts";
import type { AwayReason, Reason } from "../shared/reasons.ts";
import type { DurationMs, EpochMs } from "../shared/time.ts";
import type { Sighting } from "../policy/tag-history.ts";
import type { Pass, RequestedVersion, Suspension } from "../workload/control.ts";
import type { RestoredDigest } from "../workload/appliers.ts";
import type { LimitedDigest } from "../workload/pull-limit.ts";
import type { Observed } from "../workload/observed.ts";
import type { Apply, ImageChange } from "../workload/patch.ts";
import type { WorkloadName } from "../workload/workload.ts";
import type { WaitReason } from "../shared/wait-reason.ts";
import type { AllFreezes } from "./freezes.ts";
import type { GateSetting, GateValues } from "./gate-setting.ts";
import type { NodesOfCluster } from "./node-rules.ts";
import type { TierFacts } from "../tiers/facts.ts";

/** A quarantined digest of the update, and the reason for its quarantine. */
export interface QuarantineFact {
  readonly digest: string;
  readonly why: string;
}

/** The facts outside the record that may close a gate. */
export interface GateFacts extends AllFreezes {
  /** The quarantined digests of the update. */
  readonly quarantined: readonly QuarantineFact[];
  /**
   * The sightings of the update's images. Empty if the workload has no minimum age, or no image was
   * seen.
   */
  readonly sightings: readonly Sighting[];
  /**
   * The reason why syncs of the cluster have failed for a while. Absent if Lookout takes the
   * cluster for available.
   */
  readonly away?: {
    readonly reason: AwayReason;
    readonly detail: string;
  };
  /** The instant of the cluster's last answer. Absent if the cluster has never answered. */
  readonly answeredAt?: EpochMs;
  /** A free slot of the cluster's budget that the update may take. Absent if no slot is free. */
  readonly slot?: number;
  /**
   * The number of slots that the workload's namespace holds. Present only if the namespace is at
   * its limit and the cluster has a free slot.
   */
  readonly namespaceHolds?: number;
  /** The rule by which Lookout observes the workload. Absent if Lookout updates it. */
  readonly observes?: string;
  /** The nodes of the cluster. Absent if no rule compares their platforms. */
  readonly nodes?: NodesOfCluster;
  /** The tiers before the workload's own. */
  readonly tier: TierFacts;
  /** The rules about approvers. */
  readonly approvalRules: ApprovalRules;
  /** The stored votes for the update. */
  readonly votes: readonly Vote[];
  /**
   * The period after a window opens in which updates start. The uid of a workload determines the
   * start within this period.
   */
  readonly windowSpread: DurationMs;
  /** The checks of `lookout.yaml`, and their answers about the update. */
  readonly checks: CheckFacts;
}

/** The parts of a record that the gates use. */
export interface GatedWorkload {
  readonly workload: WorkloadName;
  readonly uid: string;
  readonly observed: Observed;
  /** The hold after a user's rollback. */
  readonly hold?: { readonly reason: Reason; readonly seq: number; readonly detail: string };
  /** The stop to all updates by a person. */
  readonly suspension?: Suspension;
  /** The digests that applied manifests took off the object. */
  readonly restored?: readonly RestoredDigest[];
  /** The digests whose pulls a registry limited. */
  readonly limited?: readonly LimitedDigest[];
  /** The active update. */
  readonly active?: { readonly seq: number; readonly status: string };
}

/** The settings of a workload that the gates use. */
export interface GatedSettings {
  readonly suspended: boolean;
  /** The windows of the workload. Empty if updates are allowed at any time. */
  readonly windows: readonly MaintenanceWindow[];
  readonly allowDeclaredSource: boolean;
  readonly approval: ApprovalSettings;
  /** The values of settings that only one gate reads. */
  readonly gates: GateValues;
  /** The rules by container name; an untracked container is absent. */
  readonly containers: Readonly<Record<string, SelectionRule & { readonly apply: Apply }>>;
  /** The problems in the order of the annotations' keys. */
  readonly problems: readonly SettingProblem[];
}

/** An update of a workload, and an instant. */
export interface GateQuestion {
  readonly now: EpochMs;
  readonly record: GatedWorkload;
  readonly settings: GatedSettings;
  /**
   * The number of the update. The number shows whether the active update is this update or an
   * earlier one.
   */
  readonly seq: number;
  /**
   * The changes of the update. Empty if the workload has no update, and the gates are only
   * explained.
   */
  readonly changes: readonly ImageChange[];
  /** The request for approval. Absent if no approval was requested. */
  readonly approval?: RequestedApproval | undefined;
  /** True if Lookout found the update while it observed, and no user has released it since. */
  readonly observed?: true | undefined;
  /** The request of the person who named the images. Absent if the policies selected them. */
  readonly requested?: RequestedVersion | undefined;
  /** The gates that people let the update pass. */
  readonly passes?: readonly Pass[] | undefined;
  readonly facts: GateFacts;
}

/** The answer of a gate for an update now. */
export type Passage =
  | { readonly kind: "open"; readonly detail?: string | undefined }
  | { readonly kind: "closed"; readonly wait: WaitReason };

/** Returns the answer of a gate. The gate is closed unless the facts prove that it may open. */
export type AskGate = (question: GateQuestion) => Passage;

/** A gate: its question, and the setting that only this gate reads. */
export interface GateRow {
  readonly ask: AskGate;
  /** The gate's own setting. Absent if the gate reads no setting, or only shared settings. */
  readonly setting?: GateSetting<unknown>;
  /** True if the gate closes only while all gates before it are open. */
  readonly isLast?: true;
  /** True if the gate also holds a rollback that a person requested. All other gates let it pass. */
  readonly holdsRollbacks?: true;
}

/** The answer of an open gate without a detail. */
export const open: Passage = { kind: "open" };

/** Returns the answer of a closed gate. */
export function closed(wait: WaitReason): Passage {
  return { kind: "closed", wait };
}

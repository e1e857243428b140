import { formatDuration } from "#domain/shared/duration";
import { isObject } from "#domain/shared/json";
import type { ApprovalSettings } from "#domain/settings/approval-settings";
import type { GateSettings } from "#domain/settings/gate-settings";
import { annotationPrefix, type WorkloadSettings } from "#domain/settings/settings";
import { writeWindow, type WrittenWindow } from "#domain/schedule/window";

/** Every setting that only gates read. The target of a rollback is in `rollback`. */
type GateMembers = Readonly<Record<Exclude<keyof GateSettings, "rollbackTo">, unknown>>;

/** The gates that a workload's annotations configure; null: not configured. Durations are written as in annotations. */
export interface GatesAnswer extends GateMembers {
  /** Also true when the annotation can't be read. */
  readonly suspended: boolean;
  /** The windows, followed by the annotations that can't be read. */
  readonly windows: readonly (WrittenWindow | Unreadable)[];
  /** Also false when the annotation can't be read. */
  readonly allowDeclaredSource: boolean;
  readonly approval: ApprovalAnswer | Unreadable | null;
  readonly minAge: string | Unreadable | null;
  readonly platforms: readonly string[] | Unreadable | null;
  readonly tier: string | Unreadable | null;
  readonly maxSeverity: string | Unreadable | null;
  readonly signedBy: readonly string[] | Unreadable | null;
  readonly rollback: {
    readonly automatic: boolean | Unreadable;
    readonly timeout: string | Unreadable;
    readonly to: string | Unreadable;
  };
}

/** The settings of the approval gate. */
export interface ApprovalAnswer {
  readonly approvals: number;
  readonly deadline: string | Unreadable | null;
  readonly approvedBy: string | Unreadable | null;
  readonly approvedImage: string | Unreadable | null;
}

/** Replaces a value whose annotation can't be read, with the text of the annotation. */
export interface Unreadable {
  readonly unreadable: string;
}

/** True when a value's annotation can't be read. */
export function isUnreadable(value: unknown): value is Unreadable {
  return isObject(value) && "unreadable" in value;
}

type UnreadableSettings = ReadonlyMap<string, Unreadable>;

/** Returns the gates of a workload. An annotation that can't be read never looks like a missing one. */
export function gatesAnswer(settings: WorkloadSettings): GatesAnswer {
  const { minAge, platforms, tier, maxSeverity, signedBy, rollbackTo } = settings.gates;
  const unreadable = unreadableIn(settings);
  const read = <Value>(setting: string, value: Value): Value | Unreadable => unreadable.get(setting) ?? value;
  const windows = [...unreadable].filter(([setting]) => /^(?:maintenance|blackout)-/.test(setting));
  return {
    suspended: unreadable.has("suspend") || settings.suspended,
    windows: [...settings.windows.map(writeWindow), ...windows.map(([, written]) => written)],
    allowDeclaredSource: settings.allowDeclaredSource,
    approval: approvalAnswer(settings.approval, unreadable),
    minAge: read("min-age", durationText(minAge)),
    platforms: read("platforms", platforms ?? null),
    tier: read("tier", tier ?? null),
    maxSeverity: read("max-severity", maxSeverity ?? null),
    signedBy: read("signed-by", signedBy ?? null),
    rollback: {
      automatic: read("auto-rollback", settings.autoRollback),
      timeout: read("rollback-timeout", formatDuration(settings.rollbackTimeout)),
      to: read("rollback-to", rollbackTo ?? "previous"),
    },
  };
}

function unreadableIn({ unreadable, problems }: WorkloadSettings): UnreadableSettings {
  const written = new Map(problems.map(({ key, value }) => [key, value]));
  return new Map(
    unreadable.map((setting) => [setting, { unreadable: written.get(annotationPrefix + setting) ?? "" }] as const),
  );
}

/** When `approval-required` or `approvals` can't be read, the other settings have no meaning. */
function approvalAnswer(approval: ApprovalSettings, unreadable: UnreadableSettings): GatesAnswer["approval"] {
  const [deadline, approvedBy, approvedImage] = ["approval-deadline", "approved-by", "approved-image"].map((setting) =>
    unreadable.get(setting),
  );
  const whole = unreadable.get("approval-required") ?? unreadable.get("approvals");
  if (whole !== undefined) return whole;
  if (approval.required === 0) return deadline ?? approvedBy ?? approvedImage ?? null;
  return {
    approvals: approval.required,
    deadline: deadline ?? durationText(approval.deadline),
    approvedBy: approvedBy ?? approval.approvedBy ?? null,
    approvedImage: approvedImage ?? approval.approvedImage ?? null,
  };
}

function durationText(duration: ApprovalSettings["deadline"]): string | null {
  return duration === undefined ? null : formatDuration(duration);
}

import { formatDuration } from "#domain/shared/duration";
import { isObject } from "#domain/shared/json";
import type { ApprovalSettings } from "#domain/approval/approval-settings";
import type { GateSettingJson } from "#domain/gates/gate-setting";
import { gateSettings } from "#domain/gates/index";
import { annotationPrefix, type WorkloadSettings } from "#domain/settings/settings";
import { writeWindow, type WrittenWindow } from "#domain/schedule/window";

/**
 * The gates in a workload's annotations. A field is null if its setting is not configured.
 * Durations have the syntax of annotations. Each of {@link gateSettings} is a field too, such as
 * `minAge`.
 */
export interface GatesAnswer {
  /** Whether the annotations suspend updates. Also true if the annotation is invalid. */
  readonly suspended: boolean;
  /** The valid windows, followed by the invalid annotations of windows. */
  readonly windows: readonly (WrittenWindow | Unreadable)[];
  /**
   * Whether Lookout may update an image that a declared source owns. False if the annotation is
   * invalid.
   */
  readonly allowDeclaredSource: boolean;
  /** Whether the tracked containers get one tag, in one patch. */
  readonly together: boolean;
  readonly approval: ApprovalAnswer | Unreadable | null;
  readonly rollback: {
    readonly automatic: boolean | Unreadable;
    readonly timeout: string | Unreadable;
    readonly pullGrace: string | Unreadable;
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

/** Replaces the value of an invalid annotation, and contains the text of the annotation. */
export interface Unreadable {
  readonly unreadable: string;
}

/** Returns whether a value's annotation is invalid. */
export function isUnreadable(value: unknown): value is Unreadable {
  return isObject(value) && "unreadable" in value;
}

type UnreadableSettings = ReadonlyMap<string, Unreadable>;

/**
 * Returns the gates of a workload. The answer distinguishes an invalid annotation from a missing
 * annotation.
 */
export function gatesAnswer(settings: WorkloadSettings): GatesAnswer {
  const unreadable = unreadableIn(settings);
  const read = <Value>(setting: string, value: Value): Value | Unreadable => unreadable.get(setting) ?? value;
  const windows = [...unreadable].filter(([setting]) => /^(?:maintenance|blackout)-/.test(setting));
  return {
    suspended: unreadable.has("suspend") || settings.suspended,
    windows: [...settings.windows.map(writeWindow), ...windows.map(([, written]) => written)],
    allowDeclaredSource: settings.allowDeclaredSource,
    together: settings.together,
    approval: approvalAnswer(settings.approval, unreadable),
    ...gateSettingsAnswer(settings),
    rollback: {
      automatic: read("auto-rollback", settings.autoRollback),
      timeout: read("rollback-timeout", formatDuration(settings.rollbackTimeout)),
      pullGrace: read("pull-grace", formatDuration(settings.pullGrace)),
      to: read("rollback-to", settings.rollbackTo ?? "previous"),
    },
  };
}

/** Returns the value of each gate's setting, by the name of its field, such as `minAge`. */
function gateSettingsAnswer(settings: WorkloadSettings): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    writtenGateSettings(settings).map(({ key, value }) => [
      key.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase()),
      value === null || isUnreadable(value) ? value : value.json,
    ]),
  );
}

/**
 * The value of a gate's setting, for JSON and for people. The value is null if the setting is not
 * configured.
 */
interface WrittenGateSetting extends Pick<(typeof gateSettings)[number], "key" | "label"> {
  readonly value: { readonly json: GateSettingJson; readonly text: string } | Unreadable | null;
}

/** Returns all settings of gates, in the order of {@link gateSettings}. */
export function writtenGateSettings(settings: WorkloadSettings): readonly WrittenGateSetting[] {
  const unreadable = unreadableIn(settings);
  return gateSettings.map(({ key, label, format }) => {
    return { key, label, value: unreadable.get(key) ?? format(settings.gates) ?? null };
  });
}

function unreadableIn({ unreadable, problems }: WorkloadSettings): UnreadableSettings {
  const written = new Map(problems.map(({ key, value }) => [key, value]));
  return new Map(
    unreadable.map((setting) => [setting, { unreadable: written.get(annotationPrefix + setting) ?? "" }] as const),
  );
}

/**
 * Returns the settings of the approval gate. If `approval-required` or `approvals` is invalid, the
 * answer contains only that annotation.
 */
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

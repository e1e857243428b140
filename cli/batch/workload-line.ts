import { readLine } from "#contracts/batch";
import { type OtherObject, WorkloadLineSchema, type WrittenWorkload } from "#contracts/workload-object";
import { formatDuration } from "#domain/duration";
import { parseImageReference } from "#domain/image-reference";
import { type WrittenFilter, type WrittenRule, writeRule } from "#domain/policy/written-rule";
import type { ApprovalSettings, GateSettings } from "#domain/settings/gate-settings";
import {
  closedFilter,
  type ContainerSettings,
  mayNamePattern,
  parseSettings,
  type SettingProblem,
  type WorkloadSettings,
} from "#domain/settings/settings";
import { writeWindow, type WrittenWindow } from "#domain/window";
import { apiVersions, workloadKinds } from "#domain/workload";
import { type ImageAnswer, imageAnswer } from "./image-line.ts";
import { badLineRefusal, type LineAnswer } from "./lines.ts";

/** What the annotations of an object ask for. */
export interface WorkloadAnswer {
  readonly ok: true;
  /** Whether it takes part: false for an object of another kind too. */
  readonly tracked: boolean;
  /** Why it takes no part; absent where it does. */
  readonly because?: string;
  /** Those that are to be updated. */
  readonly containers: readonly ContainerAnswer[];
  /** Null for an object of another kind. */
  readonly gates: GatesAnswer | null;
  /** What closes updates. */
  readonly problems: readonly ProblemAnswer[];
  /** What is only told. */
  readonly notices: readonly ProblemAnswer[];
}

interface ContainerAnswer {
  readonly name: string;
  readonly init: boolean;
  readonly image: ImageAnswer | null;
  /** Null, with `filter`, where the container's settings can't be read: nothing is elected. */
  readonly policy: WrittenRule["policy"] | null;
  readonly filter: WrittenFilter | null;
  readonly allowDowngrade: boolean;
  readonly strategy: ContainerSettings["strategy"];
  readonly apply: ContainerSettings["apply"];
}

/** What an update has to wait for; null: nothing is asked for. Durations are written as in annotations. */
interface GatesAnswer {
  readonly suspended: boolean;
  readonly windows: readonly WrittenWindow[];
  readonly allowDeclaredSource: boolean;
  readonly approval: {
    readonly approvals: number;
    readonly deadline: string | null;
    readonly approvedBy: string | null;
    readonly approvedImage: string | null;
  } | null;
  readonly minAge: string | null;
  readonly platforms: readonly string[] | null;
  readonly tier: string | null;
  readonly maxSeverity: string | null;
  readonly signedBy: readonly string[] | null;
  readonly rollback: { readonly automatic: boolean; readonly timeout: string; readonly to: string };
}

interface ProblemAnswer {
  readonly annotation: string;
  readonly value: string;
  readonly message: string;
}

/** Answers a line of `lookout workload parse --batch`. */
export async function answerWorkloadLine(line: string): Promise<LineAnswer> {
  const read = readLine(WorkloadLineSchema, line);
  return read.ok ? workloadAnswer(read.value, await readSettings(read.value)) : badLineRefusal(read.problem);
}

/** Whether an object is of a kind that Lookout updates. */
export function isWorkload(object: WrittenWorkload | OtherObject): object is WrittenWorkload {
  return "containers" in object;
}

/** Reads the settings of an object, by the very function that decides on updates; the engine of patterns is loaded for those that have one. */
export async function readSettings(object: WrittenWorkload | OtherObject): Promise<WorkloadSettings | undefined> {
  if (!isWorkload(object)) return undefined;
  const { annotations, containers } = object;
  if (!mayNamePattern(annotations)) return parseSettings(annotations, containers);
  const { loadPatternCompiler } = await import("#runtime/patterns");
  return parseSettings(annotations, containers, await loadPatternCompiler());
}

/** Says what the settings of an object ask for. */
export function workloadAnswer(
  object: WrittenWorkload | OtherObject,
  settings: WorkloadSettings | undefined,
): WorkloadAnswer {
  if (settings === undefined || !isWorkload(object))
    return { ok: true, tracked: false, because: becauseOfKind(object), containers: [], ...noSettings };
  const containers = settings.enabled ? object.containers.flatMap((one) => containerAnswer(one, settings)) : [];
  const told = (closes: boolean): readonly ProblemAnswer[] =>
    settings.problems.filter((problem) => problem.closes === closes).map(problemAnswer);
  return {
    ok: true,
    tracked: settings.enabled,
    ...(settings.enabled ? {} : { because: "lookout.dev/enabled is not true" }),
    containers,
    gates: gatesAnswer(settings),
    problems: told(true),
    notices: told(false),
  };
}

const noSettings = { gates: null, problems: [], notices: [] };

function becauseOfKind({ kind, ...object }: WrittenWorkload | OtherObject): string {
  const known = workloadKinds.find((one) => one === kind);
  const version = "apiVersion" in object ? object.apiVersion : "";
  if (known !== undefined) return `${kind} is read from ${apiVersions[known]}, and this is of ${version}`;
  const expected = `${workloadKinds.slice(0, -1).join(", ")} and ${workloadKinds.at(-1) ?? ""}`;
  return kind.endsWith("List")
    ? `a list is no object: put each of its items on a line`
    : `${kind} is no kind that is updated: those are ${expected}`;
}

function containerAnswer(
  { list, name, image }: WrittenWorkload["containers"][number],
  { containers }: WorkloadSettings,
): readonly ContainerAnswer[] {
  const settings = containers[name];
  if (settings === undefined) return [];
  const { strategy, apply, allowDowngrade } = settings;
  const parsed = parseImageReference(image);
  const { policy, filter } = writeRule(settings);
  const rule = settings.filter === closedFilter ? { policy: null, filter: null } : { policy, filter: filter ?? null };
  const about = { name, init: list === "initContainers", image: parsed.ok ? imageAnswer(parsed.value) : null };
  return [{ ...about, ...rule, allowDowngrade, strategy, apply }];
}

function gatesAnswer({ gates, ...settings }: WorkloadSettings): GatesAnswer {
  const { approval, minAge, platforms, tier, maxSeverity, signedBy, rollbackTo }: GateSettings = gates;
  return {
    suspended: settings.suspended,
    windows: settings.windows.map(writeWindow),
    allowDeclaredSource: settings.allowDeclaredSource,
    approval: approval === undefined ? null : approvalAnswer(approval),
    minAge: minAge === undefined ? null : formatDuration(minAge),
    platforms: platforms ?? null,
    tier: tier ?? null,
    maxSeverity: maxSeverity ?? null,
    signedBy: signedBy ?? null,
    rollback: {
      automatic: settings.autoRollback,
      timeout: formatDuration(settings.rollbackTimeout),
      to: rollbackTo ?? "previous",
    },
  };
}

function approvalAnswer({ required, deadline, approvedBy, approvedImage }: ApprovalSettings): GatesAnswer["approval"] {
  return {
    approvals: required,
    deadline: deadline === undefined ? null : formatDuration(deadline),
    approvedBy: approvedBy ?? null,
    approvedImage: approvedImage ?? null,
  };
}

function problemAnswer({ key, value, message }: SettingProblem): ProblemAnswer {
  return { annotation: key, value, message };
}

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
  return read.ok ? (await readObject(read.value)).answer : badLineRefusal(read.problem);
}

/** Whether an object is of a kind that Lookout updates. */
export function isWorkload(object: WrittenWorkload | OtherObject): object is WrittenWorkload {
  return "containers" in object;
}

/** Reads what an object asks for, by the very function that decides on updates. An object of another kind has no settings. */
export async function readObject(
  object: WrittenWorkload | OtherObject,
): Promise<{ readonly answer: WorkloadAnswer; readonly settings?: WorkloadSettings }> {
  if (!isWorkload(object)) return { answer: otherAnswer(object) };
  const settings = await readSettings(object);
  return { answer: workloadAnswer(object, settings), settings };
}

/** The engine of patterns is loaded for a workload that has one. */
async function readSettings({ annotations, containers }: WrittenWorkload): Promise<WorkloadSettings> {
  if (!mayNamePattern(annotations)) return parseSettings(annotations, containers);
  const { loadPatternCompiler } = await import("#runtime/patterns");
  return parseSettings(annotations, containers, await loadPatternCompiler());
}

function workloadAnswer(object: WrittenWorkload, settings: WorkloadSettings): WorkloadAnswer {
  const { enabled, problems } = settings;
  const told = (closes: boolean): readonly ProblemAnswer[] =>
    problems.filter((problem) => problem.closes === closes).map(problemAnswer);
  return {
    ok: true,
    tracked: enabled,
    ...(enabled ? {} : { because: "lookout.dev/enabled is not true" }),
    containers: enabled ? object.containers.flatMap((one) => containerAnswer(one, settings)) : [],
    gates: gatesAnswer(settings),
    problems: told(true),
    notices: told(false),
  };
}

function otherAnswer(object: OtherObject): WorkloadAnswer {
  return {
    ok: true,
    tracked: false,
    because: whyOther(object),
    containers: [],
    gates: null,
    problems: [],
    notices: [],
  };
}

function whyOther({ kind, apiVersion }: OtherObject): string {
  const known = workloadKinds.find((one) => one === kind);
  if (known !== undefined) return `${kind} is read from ${apiVersions[known]}, and this is of ${apiVersion}`;
  if (kind.endsWith("List")) return "a list is no object: put each of its items on a line";
  const others = workloadKinds.slice(0, -1).join(", ");
  return `${kind} is no kind that is updated: those are ${others} and ${workloadKinds.at(-1) ?? ""}`;
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

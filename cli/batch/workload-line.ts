import { readLine } from "#contracts/batch/lines";
import { type OtherObject, WorkloadLineSchema, type WrittenWorkload } from "#contracts/kubernetes/workload-object";
import { type WrittenFilter, type WrittenRule, writeRule } from "#domain/policy/rule-text";
import {
  annotationPrefix,
  closedFilter,
  containerOfImageKey,
  type ContainerSettings,
  mayNamePattern,
  parseSettings,
  type SettingProblem,
  type WorkloadSettings,
} from "#domain/settings/settings";
import { apiVersions, workloadKinds } from "#domain/workload/workload";
import { type GatesAnswer, gatesAnswer } from "./gates-answer.ts";
import { answerImage, type ImageAnswer } from "./image-line.ts";
import { badLineRefusal, type LineAnswer, type LineRefusal } from "./lines.ts";

/** What the annotations of an object ask for. */
export interface WorkloadAnswer {
  readonly ok: true;
  /** Whether it is tracked: false for an object of another kind too. */
  readonly tracked: boolean;
  /** Why it takes no part; absent where it does. */
  readonly because?: string;
  /** Those that are tracked, also where they are closed. */
  readonly containers: readonly ContainerAnswer[];
  readonly gates: GatesAnswer;
  /** What closes updates. */
  readonly problems: readonly ProblemAnswer[];
  /** What is only told. */
  readonly notices: readonly ProblemAnswer[];
}

/** What is asked for a container. */
export interface ContainerAnswer {
  readonly name: string;
  readonly init: boolean;
  readonly image: ImageAnswer | LineRefusal;
  /**
   * Null, with `filter`, `strategy` and `apply`, where its image or a setting that may be its own can't be understood: what these would show
   * was not asked for.
   */
  readonly policy: WrittenRule["policy"] | null;
  readonly filter: WrittenFilter | null;
  readonly allowDowngrade: boolean;
  readonly strategy: ContainerSettings["strategy"] | null;
  readonly apply: ContainerSettings["apply"] | null;
}

interface ProblemAnswer {
  /** Null for one with an image; the message then names it, and its container. */
  readonly annotation: string | null;
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
    containers: enabled ? object.containers.flatMap((one) => containerAnswer(one, settings) ?? []) : [],
    gates: gatesAnswer(settings),
    problems: told(true),
    notices: told(false),
  };
}

/** Its containers are not looked for, so of its annotations those of a container are not read. */
function otherAnswer(object: OtherObject): WorkloadAnswer {
  const settings = parseSettings(object.annotations, []);
  const because = whyOther(object);
  const annotation = `${annotationPrefix}enabled`;
  const value = object.annotations[annotation];
  const asks = value !== undefined && settings.enabled ? [{ annotation, value, message: because }] : [];
  const keys = settings.unreadable.map((setting) => annotationPrefix + setting);
  const unreadable = settings.problems.filter(({ key }) => keys.includes(key) && key !== annotation);
  const problems = [...asks, ...unreadable.map(problemAnswer)];
  return { ok: true, tracked: false, because, containers: [], gates: gatesAnswer(settings), problems, notices: [] };
}

function whyOther({ kind, apiVersion }: OtherObject): string {
  const known = workloadKinds.find((one) => one === kind);
  if (known !== undefined) return `${kind} is read from ${apiVersions[known]}, and this is of ${apiVersion}`;
  if (kind.endsWith("List")) return "a list is no object: put each of its items on a line";
  const others = workloadKinds.slice(0, -1).join(", ");
  return `${kind} is no kind that is updated: those are ${others} and ${workloadKinds.at(-1) ?? ""}`;
}

/** Undefined for a container that takes no part. */
function containerAnswer(
  { list, name, image }: WrittenWorkload["containers"][number],
  { containers, isWhole, problems }: WorkloadSettings,
): ContainerAnswer | undefined {
  const settings = containers[name];
  const isImageWrong = problems.some(({ key, closes }) => closes && containerOfImageKey(key) === name);
  if (settings === undefined && !isImageWrong) return undefined;
  const about = { name, init: list === "initContainers", image: answerImage(image) };
  if (settings === undefined || !isWhole || settings.filter === closedFilter)
    return { ...about, policy: null, filter: null, allowDowngrade: false, strategy: null, apply: null };
  const { policy, filter = null } = writeRule(settings);
  const { strategy, apply, allowDowngrade } = settings;
  return { ...about, policy, filter, allowDowngrade, strategy, apply };
}

function problemAnswer({ key, value, message }: SettingProblem): ProblemAnswer {
  const container = containerOfImageKey(key);
  if (container === undefined) return { annotation: key, value, message };
  return { annotation: null, value, message: `image "${value}" of container ${container}: ${message}` };
}

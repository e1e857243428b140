import type { OtherObject, WrittenWorkload } from "#contracts/kubernetes/workload-object";
import { definitionKinds, definitionPlaces } from "#domain/definitions/definition";
import { isServicePolicy } from "#domain/definitions/declared-settings";
import { parseImageReference } from "#domain/image/reference";
import { adviseOn } from "#domain/policy/suggestion";
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
import { annotationsOf } from "#domain/settings/suggested-annotations";
import { clientSideApply, lastAppliedImages } from "#domain/workload/image-owners";
import { manifestNotices } from "#domain/workload/manifest-notices";
import { restartNotice } from "#domain/workload/restart-notice";
import { apiVersionOf, builtInKinds } from "#domain/workload/kinds";
import { annotationLines } from "../render/skipped.ts";
import { type GatesAnswer, gatesAnswer } from "./gates.ts";
import { type KnownTiers, type PlaceAnswer, tiersOf, uncheckedTiers } from "./tiers.ts";
import { answerImage, type ImageAnswer } from "./image.ts";
import type { ProblemAnswer } from "./problem.ts";
import type { Refusal } from "./refusal.ts";

/** The settings of an object's annotations. */
export interface WorkloadAnswer {
  readonly ok: true;
  /** Whether the object is tracked. False for an object of another kind. */
  readonly tracked: boolean;
  /** The reason why the object is not tracked. Absent for a tracked object. */
  readonly because?: string;
  /** The tracked containers, including containers with a problem. */
  readonly containers: readonly ContainerAnswer[];
  readonly gates: GatesAnswer;
  /** The places among the tiers of a `lookout.yaml`. Absent without one, and for an untracked object. */
  readonly tiers?: readonly PlaceAnswer[];
  /** Problems that pause updates. */
  readonly problems: readonly ProblemAnswer[];
  /** Problems that do not pause updates. */
  readonly notices: readonly ProblemAnswer[];
}

/** The settings of a container. */
export interface ContainerAnswer {
  readonly name: string;
  readonly init: boolean;
  readonly image: ImageAnswer | Refusal;
  /**
   * The policy. Like `filter`, `strategy` and `apply`, it is null if the container's settings or
   * image are invalid, or if the workload has an unknown key.
   */
  readonly policy: WrittenRule["policy"] | null;
  readonly filter: WrittenFilter | null;
  readonly allowDowngrade: boolean;
  readonly strategy: ContainerSettings["strategy"] | null;
  readonly apply: ContainerSettings["apply"] | null;
}

/** Returns whether Lookout updates objects of this kind. */
export function isWorkload(object: WrittenWorkload | OtherObject): object is WrittenWorkload {
  return "containers" in object;
}

/** Parses an object's annotations. An object of another kind has no settings. */
export async function readObject(
  object: WrittenWorkload | OtherObject,
  tiers?: KnownTiers,
): Promise<{ readonly answer: WorkloadAnswer; readonly settings?: WorkloadSettings }> {
  if (!isWorkload(object)) return { answer: otherAnswer(object) };
  const settings = await readSettings(object);
  const answer = workloadAnswer(object, settings);
  if (!settings.enabled) return { answer, settings };
  if (tiers === undefined)
    return { answer: { ...answer, notices: [...answer.notices, ...uncheckedTiers(object)] }, settings };
  const { places, problems } = tiersOf(object, tiers);
  return { answer: { ...answer, tiers: places, problems: [...answer.problems, ...problems] }, settings };
}

/**
 * Parses a workload's settings. The pattern engine is loaded only for a workload with a pattern.
 */
async function readSettings({ annotations, containers }: WrittenWorkload): Promise<WorkloadSettings> {
  if (!mayNamePattern(annotations)) return parseSettings(annotations, containers);
  const { loadPatternCompiler } = await import("#runtime/patterns");
  return parseSettings(annotations, containers, await loadPatternCompiler());
}

function workloadAnswer(object: WrittenWorkload, settings: WorkloadSettings): WorkloadAnswer {
  const { enabled } = settings;
  const problems = settings.problems.map(withoutCluster);
  const answers = (closes: boolean): readonly ProblemAnswer[] =>
    problems.filter((problem) => problem.closes === closes).map(problemAnswer);
  return {
    ok: true,
    tracked: enabled,
    ...(enabled ? {} : { because: "lookout.dev/enabled is not true" }),
    containers: enabled ? object.containers.flatMap((one) => containerAnswer(one, settings) ?? []) : [],
    gates: gatesAnswer(settings),
    problems: answers(true),
    notices: [
      ...answers(false),
      ...(enabled ? [...containerNotices(object, settings), ...registryNotices(settings)] : []),
    ],
  };
}

/** Returns a problem as a manifest shows it. Only its cluster knows whether a ServiceImage is about the workload. */
export function withoutCluster(problem: SettingProblem): SettingProblem {
  if (!isServicePolicy(problem.value)) return problem;
  return { ...problem, closes: false, message: "a ServiceImage of the namespace names the tag" };
}

/** Returns the notices about the containers of a tracked workload. */
export function containerNotices(object: WrittenWorkload, settings: WorkloadSettings): readonly ProblemAnswer[] {
  return [...tagNotices(object, settings), ...pullNotices(object, settings), ...applyNotices(object)];
}

/** Returns a notice for each container whose restart may change nothing. */
function pullNotices({ containers }: WrittenWorkload, settings: WorkloadSettings): readonly ProblemAnswer[] {
  return containers.flatMap((container) => {
    const message = restartNotice(container, settings.containers[container.name]);
    return message === undefined ? [] : [{ annotation: null, value: container.image, message }];
  });
}

/** Returns a notice for each container whose tag its policy can't compare, with annotations that can. */
function tagNotices({ containers }: WrittenWorkload, settings: WorkloadSettings): readonly ProblemAnswer[] {
  const isAlone = Object.keys(settings.containers).length === 1;
  return containers.flatMap((container) => {
    const own = settings.containers[container.name];
    const image = parseImageReference(container.image);
    const tag = image.ok ? image.value.tag : undefined;
    if (own === undefined || tag === undefined) return [];
    const annotations = adviseOn(own, { tag }, [tag])?.annotations;
    if (annotations === undefined) return [];
    const lines = annotationLines(annotationsOf(annotations, isAlone ? undefined : container));
    const message = `container ${container.name}: the policy can't compare the tag ${tag}. Annotations that can: ${lines.join(", ")}`;
    return [{ annotation: null, value: container.image, message }];
  });
}

/** Returns what the next apply of a manifest does to Lookout's images, as far as a live object shows it. */
function applyNotices({ places, annotations, containers }: WrittenWorkload): readonly ProblemAnswer[] {
  const lastApplied = lastAppliedImages(places, annotations);
  return containers.flatMap((container) => {
    const last = lastApplied.find(({ list, name }) => list === container.list && name === container.name);
    const applied = last === undefined ? {} : { applied: last.image, appliedBy: clientSideApply };
    const messages = manifestNotices({ ...container, ...applied });
    return messages.map((message) => ({ annotation: null, value: container.image, message }));
  });
}

/**
 * Returns a notice for each name of a registry. Only a Lookout with its `lookout.yaml` can compare
 * the name.
 */
export function registryNotices({ containers }: Pick<WorkloadSettings, "containers">): readonly ProblemAnswer[] {
  const names = new Set(Object.values(containers).flatMap(({ registry }) => registry ?? []));
  return [...names].map((name) => ({
    annotation: `${annotationPrefix}registry`,
    value: name,
    message: `the registry ${name} is not checked here: Lookout holds updates unless an entry of registries in lookout.yaml has this name and serves the image`,
  }));
}

/**
 * Returns the answer for an object whose kind Lookout does not update. The containers of such an
 * object are unknown.
 */
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
  const known = builtInKinds.find((one) => one === kind);
  if (known !== undefined) return `a ${kind} must have the apiVersion ${apiVersionOf(known)}, not ${apiVersion}`;
  if (kind.endsWith("List")) return "a list is not one object: write each item of the list on its own line";
  if (definitionKinds.some((one) => one === kind && apiVersion.startsWith(`${definitionPlaces[one].group}/`)))
    return `it declares settings, and its status tells whether they apply: kubectl describe ${kind.toLowerCase()} NAME`;
  return `Lookout does not update objects of kind ${kind}, only ${builtInKinds.join(", ")}`;
}

/** Returns the settings of a container; undefined for a container that is not tracked. */
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

import { formatDuration } from "../shared/duration.ts";
import { impliedTag, parseImageReference } from "../image/reference.ts";
import { noFilter, type TagFilter } from "../policy/tag-filter.ts";
import { type CompilePattern, matchesNothing } from "../policy/tag-pattern.ts";
import { shortestInterval } from "../registry/sweeps.ts";
import { ok, problem, type Result } from "../shared/result.ts";
import { compareTexts } from "../shared/text-order.ts";
import { durationMs, type DurationMs, hours, minutes, seconds } from "../shared/time.ts";
import type { SuffixRule } from "../version/suffix.ts";
import type { ApplierNames } from "../workload/appliers.ts";
import { type ContainerState, mostContainers } from "../workload/observed.ts";
import type { MaintenanceWindow } from "../schedule/window.ts";
import {
  decidedByService,
  declaredBySetting,
  declaredFaultSetting,
  declaredTiersSetting,
  declaredVersionsSetting,
  isServicePolicy,
  servicePolicy,
} from "../definitions/declared-settings.ts";
import { readApprovalSettings } from "../approval/approval-settings.ts";
import { type AttributeLabel, readAttributeLabels, whyNoAttributeLabels } from "./attribute-labels.ts";
import { type BaseImage, readBaseImages } from "./base-images.ts";
import { containersSetting, readContainerJson } from "./container-json.ts";
import type { GatedSettings } from "../gates/gate.ts";
import { readGateSettings } from "../gates/index.ts";
import { type Reapply, reapplySetting } from "../gates/reapply.ts";
import { isImageUpdated, isImageUpdaters, readImageUpdater } from "./image-updater.ts";
import {
  patternSetting,
  policyReaders,
  type PolicyKind,
  type PolicySettings,
  readPolicyKind,
  readPolicySettings,
} from "./policy-settings.ts";
import { readPullGrace, usualPullGrace } from "./pull-grace.ts";
import { readRollbackTarget } from "./rollback-target.ts";
import { mostCharacters, tooLargeSetting } from "./setting-keys.ts";
import { attributeLabelsKey, baseImageKey, channelSettings, noticeOnly } from "../annotations/notices.ts";
import { readerOf, type SettingReader, type SettingScope } from "../annotations/setting-reader.ts";
import { readBoolean, readTimeout, truthy } from "../annotations/setting-values.ts";
import { togetherSetting, whyNotTogether } from "./together.ts";
import { whyUnknown } from "./unknown-setting.ts";
import { readWindows } from "./window-settings.ts";
import { readWriting, writingReaders, type WritingSettings } from "./writing-settings.ts";
import {
  annotationPrefix,
  containerOfImageKey,
  gatherSettings,
  imageKey,
  type SettingProblem,
  statusPrefix,
  type WrittenSetting,
  type WrittenSettings,
  writtenInKey,
} from "../annotations/written-settings.ts";

export { annotationPrefix, containerOfImageKey, type SettingProblem, statusPrefix };

/** The settings of one container. */
export interface ContainerSettings extends PolicySettings, WritingSettings {
  /** The labels of the pods that show attributes of the image. Absent without such labels. */
  readonly attributeLabels?: readonly AttributeLabel[];
}

/** The settings of a workload. */
export interface WorkloadSettings extends GatedSettings {
  readonly enabled: boolean;
  readonly autoRollback: boolean;
  readonly rollbackTimeout: DurationMs;
  /** The longest time of a fault of pulling or creating without progress. */
  readonly pullGrace: DurationMs;
  /** The tag to which a rollback returns. The default is the previous image. */
  readonly rollbackTo: string | undefined;
  /**
   * The longest time between sweeps of the workload's repositories. Absent if the default interval
   * of their registries applies.
   */
  readonly interval?: DurationMs;
  /** True if the tracked containers get one tag, in one patch. */
  readonly together: boolean;
  /** The images from which the workload's images are built. Absent if the annotations name none. */
  readonly baseImages?: readonly BaseImage[];
  /** The field managers of the owner's own deploy tools. Absent if lookout.yaml names none. */
  readonly appliers?: ApplierNames;
  /** The names of the workload's invalid settings. Their values are defaults. */
  readonly unreadable: readonly string[];
  /**
   * False if a key is unknown, repeated or invalid, so the containers' settings may be incomplete.
   */
  readonly isWhole: boolean;
  /** A container with invalid settings has {@link closedFilter}. */
  readonly containers: Readonly<Record<string, ContainerSettings>>;
}

/** The owner's defaults for workloads. */
export interface SettingDefaults {
  /**
   * The largest step of a version when neither a policy nor a range is set. `any`: any higher
   * version.
   */
  readonly semver: "any" | "major" | "minor";
  /** The way to read the suffixes of versions. Absent: `flavour`, or `semver` for a range with `-0`. */
  readonly suffixes?: SuffixRule;
  /** What happens after a manifest is applied again. Absent: the program that applied it decides. */
  readonly reapply?: Reapply;
  /** The longest time of a fault of pulling or creating without progress. Absent: a minute. */
  readonly pullGrace?: DurationMs;
  /** The field managers of the owner's own deploy tools, which apply whole manifests. */
  readonly appliers?: ApplierNames;
}

/** The defaults without a `lookout.yaml`. */
export const usualDefaults: SettingDefaults = { semver: "any" };

function appliersIn({ appliers }: SettingDefaults): Pick<WorkloadSettings, "appliers"> {
  return appliers === undefined ? {} : { appliers };
}

/** A filter that matches no tag, so that an invalid limit never widens a policy. */
export const closedFilter: TagFilter = { ...noFilter, patterns: [matchesNothing("")] };

/** The default limit of a rollout: a Deployment's default progress deadline. */
export const defaultRollbackTimeout: DurationMs = minutes(10);
/**
 * The limits of a sensible timeout. A shorter timeout would roll back every update, and a longer
 * timeout would roll back no update.
 */
const rollbackTimeouts = { shortest: seconds(1), longest: hours(7 * 24) };

function readRollbackTimeout(text: string): Result<DurationMs, string> {
  const parsed = readTimeout(text);
  if (!parsed.ok) return parsed;
  const { shortest, longest } = rollbackTimeouts;
  const expected = `expected ${formatDuration(shortest)} to ${formatDuration(longest)}, such as 10m`;
  return parsed.value < shortest || parsed.value > longest ? problem(expected) : parsed;
}

type Annotations = Readonly<Record<string, string>>;
type Container = Pick<ContainerState, "list" | "name" | "image" | "isUnset">;

/**
 * Returns the annotations with settings: Lookout's and the Kubernetes Image Updater's, without
 * their state. If the annotations have too many characters, returns only `enabled` and the number
 * of characters, which holds updates.
 */
export function settingAnnotations(annotations: Annotations): Annotations {
  const picked = Object.entries(annotations).filter(([key]) => isLookouts(key) || isImageUpdaters(key));
  const characters = picked.reduce((sum, [key, value]) => sum + key.length + value.length, 0);
  return characters > mostCharacters
    ? { [`${annotationPrefix}enabled`]: "true", [`${annotationPrefix}${tooLargeSetting}`]: String(characters) }
    : Object.fromEntries(picked.sort(([left], [right]) => compareTexts(left, right)));
}

function isLookouts(key: string): boolean {
  return key.startsWith(annotationPrefix) && !key.startsWith(statusPrefix);
}

/**
 * Returns whether {@link parseSettings} may need a compiler of patterns. The result may be true
 * although no compiler is needed.
 */
export function mayNamePattern(annotations: Annotations): boolean {
  return Object.entries(annotations).some(
    ([key, value]) => isLookouts(key) && (key.endsWith(patternSetting) || value.includes(patternSetting)),
  );
}

/**
 * Returns whether a workload is tracked: by `lookout.dev/enabled`, otherwise by the Kubernetes
 * Image Updater's annotation.
 *
 * An invalid value tracks the workload and closes its gates.
 */
export function isEnabled(annotations: Annotations): boolean {
  const value = annotations[`${annotationPrefix}enabled`];
  return value === undefined ? isImageUpdated(annotations) : truthy(value) || !readBoolean(value).ok;
}

/**
 * Parses the settings of a workload from its annotations.
 *
 * Unknown keys and invalid values are problems. Problems that may limit updates close the gates.
 *
 * @param compilePattern - needed if {@link mayNamePattern} returns true. Without it, a pattern is a
 *   problem.
 */
export function parseSettings(
  annotations: Annotations,
  allContainers: readonly Container[],
  compilePattern?: CompilePattern,
  defaults: SettingDefaults = usualDefaults,
): WorkloadSettings {
  const containers = allContainers.length > mostContainers ? [] : allContainers;
  const written = writtenIn(settingAnnotations(annotations), containers);
  const compile = compilePattern && compilesAtMost(mostPatterns, compilePattern);
  const reader = readerOf(written);
  const scope = reader.scope();
  const readSwitch = (setting: string, usual: boolean): boolean => scope.read(setting, readBoolean) ?? usual;
  const settings = {
    enabled: isEnabled(annotations),
    suspended: readSwitch("suspend", false),
    windows: windowsIn(written, scope),
    autoRollback: readSwitch("auto-rollback", true),
    rollbackTimeout: scope.read("rollback-timeout", readRollbackTimeout) ?? defaultRollbackTimeout,
    pullGrace: readPullGraceOr(scope, defaults),
    rollbackTo: readRollbackTarget(scope),
    allowDeclaredSource: readSwitch("allow-declared-source", false),
    together: readSwitch("together", false),
    approval: readApprovalSettings(scope),
    gates: { ...(defaults.reapply && { [reapplySetting.key]: defaults.reapply }), ...readGateSettings(scope) },
    ...intervalIn(written),
    ...baseImagesIn(written),
    ...appliersIn(defaults),
    containers: Object.assign(
      // The record has no prototype, because a container may be called "constructor".
      Object.create(null) as Record<string, ContainerSettings>,
      Object.fromEntries(
        containers.flatMap((container) => {
          const found = readContainer(reader, written, container, compile, defaults);
          return found === undefined ? [] : [[container.name, found] as const];
        }),
      ),
    ),
  };
  scope.read("enabled", readBoolean);
  const apart = settings.together ? whyNotTogether(settings.containers, containers) : undefined;
  if (apart !== undefined) reader.tell(togetherSetting, apart, true);
  if (containers !== allContainers)
    reader.tell({ key: "pod", text: "" }, `the pod has more than ${mostContainers} containers`, true);
  const unknown = written.all.filter((one, index) =>
    complainAbout(one, containers, settings.containers, reader, index < mostSuggestions),
  );
  for (const one of decidedIn(written)) reader.tell(one, "is not used: the ServiceImage names the tag", false);
  readUnused(
    written.all.filter((one) => !reader.wasRead(one)),
    compile,
    reader,
  );
  const unreadable = scope.unreadable();
  const isWhole = written.isWhole && unknown.length === 0 && !unreadable.includes("enabled");
  return { ...settings, unreadable, isWhole, problems: reader.problems() };
}

function readPullGraceOr({ read }: SettingScope, { pullGrace = usualPullGrace }: SettingDefaults): DurationMs {
  return read("pull-grace", readPullGrace) ?? pullGrace;
}

/** The largest number of patterns of a workload. Compiling a large pattern takes milliseconds. */
const mostPatterns = 50;

function compilesAtMost(most: number, compile: CompilePattern): CompilePattern {
  const compiled = new Set<string>();
  return (text) => {
    if (compiled.add(text).size <= most) return compile(text);
    return problem({ code: "pattern-invalid", message: `more than ${most} patterns in one workload` });
  };
}

/**
 * Returns the settings that the annotations of a workload contain. If two places contain the same
 * setting, the first place wins: Lookout's own annotation, Lookout's JSON, the annotation of the
 * Kubernetes Image Updater.
 */
function writtenIn(annotations: Annotations, containers: readonly Container[]): WrittenSettings {
  const keys = Object.entries(annotations).flatMap(([key, text]) => (isLookouts(key) ? [writtenInKey(key, text)] : []));
  const json = keys.find(({ setting, of }) => setting === containersSetting && of === undefined);
  const inJson = json === undefined ? { written: [], complaints: [] } : readContainerJson(json.text, containers);
  const own = gatherSettings([...keys, ...inJson.written], inJson.complaints);
  const others = readImageUpdater(annotations, containers, own);
  return others.written.length === 0 && others.complaints.length === 0
    ? own
    : gatherSettings([...own.all, ...others.written], [...own.complaints, ...others.complaints]);
}

function windowsIn({ of }: WrittenSettings, { read }: SettingScope): readonly MaintenanceWindow[] {
  return readWindows({
    value: (setting) => of().get(setting)?.text,
    report: (setting, message) => {
      read(setting, () => problem(message));
    },
  });
}

/** The largest number of problems with a suggestion. The search for a similar name is slow. */
const mostSuggestions = 20;

/**
 * Reports a problem with an unused setting's name or value. Returns whether its name is unknown.
 */
function complainAbout(
  written: WrittenSetting,
  containers: readonly Container[],
  tracked: WorkloadSettings["containers"],
  { tell }: SettingReader,
  suggests: boolean,
): boolean {
  if (written.setting === declaredTiersSetting || written.setting === declaredVersionsSetting) return false;
  const declared = noticeOfDefinition(written);
  if (declared !== undefined) {
    tell(...declared);
    return false;
  }
  const unknown = whyUnknown(written, containers, suggests);
  if (unknown !== undefined) {
    tell(written, unknown, true);
    return true;
  }
  const notice = noticeOf(written, tracked);
  if (notice !== undefined) tell(written, notice, false);
  return false;
}

/** Returns the settings of a workload that have no effect, because a ServiceImage names the tag. */
function decidedIn({ all, of }: WrittenSettings): readonly WrittenSetting[] {
  return isServicePolicy(of().get("policy")?.text)
    ? all.filter((one) => one.of === undefined && decidedByService.has(one.setting))
    : [];
}

/** Returns what is told about definitions in place of annotations. Undefined for any other setting. */
function noticeOfDefinition({ setting, text, of }: WrittenSetting): Parameters<SettingReader["tell"]> | undefined {
  if (of !== undefined) return undefined;
  if (setting === declaredBySetting) return [{ key: text, text: "" }, "gives the settings", false];
  if (setting !== declaredFaultSetting) return undefined;
  // A key of its own, because each key has one problem.
  const [key = "", ...rest] = text.split("\n");
  return [{ key, text: "" }, rest.join(" "), true];
}

/** Returns the notice about a setting that limits no update, or undefined without a notice. */
function noticeOf({ setting, of, text }: WrittenSetting, tracked: WorkloadSettings["containers"]): string | undefined {
  if (setting === attributeLabelsKey) return whyNoAttributeLabels(text, rulesOf(of, tracked));
  if (setting === baseImageKey) return baseImageNotice(of, text);
  if (setting === intervalSetting && of === undefined) return intervalNotice(readTimeout(text));
  const read = noticeOnly.get(setting)?.(text);
  if (of === undefined && channelSettings.some((one) => one === setting))
    return read?.ok === false ? read.problem : undefined;
  return read && `${read.ok ? "" : `${read.problem}; `}is not used by this version of Lookout`;
}

/** Returns the policies of the tracked containers that a setting concerns. */
function rulesOf(of: WrittenSetting["of"], tracked: WorkloadSettings["containers"]): readonly ContainerSettings[] {
  if (of === undefined) return Object.values(tracked);
  const own = tracked[of.name];
  return own === undefined ? [] : [own];
}

function baseImageNotice(of: WrittenSetting["of"], text: string): string | undefined {
  if (of !== undefined)
    return `is not a setting of a container, but of the workload: ${annotationPrefix}${baseImageKey}`;
  const read = readBaseImages(text);
  return read.ok ? undefined : read.problem;
}

const intervalSetting = "interval";

function intervalNotice(read: Result<DurationMs, string>): string | undefined {
  if (!read.ok) return `${read.problem}; Lookout uses the default interval`;
  return read.value < shortestInterval
    ? `is shorter than ${formatDuration(shortestInterval)}: Lookout uses ${formatDuration(shortestInterval)}`
    : undefined;
}

/** Returns the interval. An invalid interval limits no update, so the default interval is used. */
function intervalIn({ of }: WrittenSettings): Pick<WorkloadSettings, "interval"> {
  const written = of().get(intervalSetting);
  const read = written === undefined ? undefined : readTimeout(written.text);
  return read?.ok === true ? { interval: durationMs(Math.max(read.value, shortestInterval)) } : {};
}

/** Returns the base images. Invalid ones limit no update, so they are only reported. */
function baseImagesIn({ of }: WrittenSettings): Pick<WorkloadSettings, "baseImages"> {
  const written = of().get(baseImageKey);
  const read = written === undefined ? undefined : readBaseImages(written.text);
  return read?.ok === true ? { baseImages: read.value } : {};
}

/** Returns the labels with attributes. Invalid ones limit no update, so they are only reported. */
function attributeLabelsIn(
  of: WrittenSettings["of"],
  container: Container,
): Pick<ContainerSettings, "attributeLabels"> {
  const written = of(container).get(attributeLabelsKey) ?? of().get(attributeLabelsKey);
  const read = written === undefined ? undefined : readAttributeLabels(written.text);
  return read?.ok === true ? { attributeLabels: read.value } : {};
}

/** Reports invalid values of settings that are not used. */
function readUnused(
  unused: readonly WrittenSetting[],
  compile: CompilePattern | undefined,
  { tell }: SettingReader,
): void {
  if (unused.length === 0) return;
  const readers = new Map([...policyReaders(compile), ...writingReaders]);
  for (const written of unused) {
    const read = readers.get(written.setting)?.(written.text);
    if (read?.ok === false) tell(written, read.problem, true);
  }
}

/** Returns the words of the policy service-image, while no definition gives the container its own policy. */
function shownService(scope: SettingScope): Partial<Pick<PolicySettings, "policyText">> {
  const written = scope.read("policy", (text) => ok(text));
  return isServicePolicy(written) ? { policyText: servicePolicy } : {};
}

function readContainer(
  reader: SettingReader,
  { of, isWhole }: WrittenSettings,
  container: Container,
  compile: CompilePattern | undefined,
  defaults: SettingDefaults,
): ContainerSettings | undefined {
  const scope = reader.scope(container);
  const isUsual = container.list === "containers";
  // The `enabled` of the workload does not concern the container.
  const enabled = of(container).has("enabled") ? (scope.read("enabled", readBoolean) ?? isUsual) : isUsual;
  if (!enabled) return undefined;
  const about = { key: imageKey(container.name), text: container.image };
  const wrong = imageProblem(container);
  if (wrong !== undefined) reader.tell(about, wrong, true);
  const hasRange = scope.read("semver-range", (text) => ok(text)) !== undefined;
  const named = scope.read("policy", readPolicyKind);
  const kind = wrong === undefined ? (named ?? policyWithout(reader, about, container, hasRange)) : undefined;
  if (kind === undefined) return undefined;
  const isBeside = (setting: string): boolean => of(container).has(setting) || !of(container).has("policy");
  const isNamed = named !== undefined;
  const kept = hasRange ? {} : keptBy(kind, isNamed, defaults);
  const { suffixes } = defaults;
  const policy = readPolicySettings(
    { read: scope.read, kind, isNamed, isBeside, ...kept, ...(suffixes && { suffixes }) },
    compile,
  );
  const settings = {
    ...policy,
    ...shownService(scope),
    ...readWriting(scope, container.image),
    ...attributeLabelsIn(of, container),
  };
  return scope.isClosed() || !isWhole ? { ...settings, filter: closedFilter } : settings;
}

/**
 * Returns the policy of an image without a policy annotation.
 *
 * Returns undefined for an image with only a digest. Returns `digest` for the tag `latest` or no
 * tag, unless there is a range. Returns `semver` for any other image. Without an image, `digest`
 * selects nothing.
 */
function policyWithout(
  { tell }: SettingReader,
  about: { readonly key: string; readonly text: string },
  { isUnset }: Pick<Container, "isUnset">,
  hasRange: boolean,
): "semver" | "digest" | undefined {
  const parsed = parseImageReference(about.text);
  if (!parsed.ok) return "semver";
  const { tag, digest } = parsed.value;
  if (tag === undefined && digest !== undefined) {
    tell(about, "the image has only a digest: expected a tag, or lookout.dev/policy", true);
    return undefined;
  }
  if (hasRange || (tag ?? impliedTag) !== impliedTag) return "semver";
  if (isUnset === true) {
    const first = "lookout.dev/policy or lookout.dev/semver-range";
    tell(about, `the object has no image: expected ${first}, which selects the first one`, false);
    return "digest";
  }
  const why = tag === undefined ? "the image has no tag" : "the image's tag is no version";
  tell(about, `${why}, so Lookout follows ${impliedTag}. Name a tag or a policy`, false);
  return "digest";
}

function imageProblem({ image }: Container): string | undefined {
  const parsed = parseImageReference(image);
  if (!parsed.ok) return parsed.problem.message;
  return parsed.value.registry === "" ? "the registry of the image is not a host" : undefined;
}

/** Returns the kept part of the version. Only a derived policy has a default. */
function keptBy(
  kind: PolicyKind,
  isNamed: boolean,
  { semver }: SettingDefaults,
): { readonly keeps?: "major" | "minor" } {
  return isNamed || kind !== "semver" || semver === "any" ? {} : { keeps: semver };
}

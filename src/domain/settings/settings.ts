import type { CompilePattern } from "../policy/tag-pattern.ts";
import {
  patternSetting,
  type PolicySettings,
  readPolicyKind,
  readPolicySettings,
  type ReadSetting,
} from "./policy-settings.ts";
import { oneOf, readBoolean, readTimeout, type ReadValue, truthy } from "./setting-values.ts";
import { type DurationMs, minutes } from "../time.ts";
import type { Apply, ContainerState } from "../update.ts";
import type { MaintenanceWindow } from "../window.ts";
import { readWindows } from "./window-settings.ts";
import { parseImageReference } from "../image-reference.ts";
import { containerSettings, keysOfOtherVersions, noticeOnly, suggestionFor, workloadKeys } from "./setting-keys.ts";

/** What counts as different from what runs: the tag, the digest that it names, or either. */
export type Strategy = "tag" | "digest" | "tag+digest";

/** What the annotations ask for one container. */
export interface ContainerSettings extends PolicySettings {
  readonly apply: Apply;
  readonly strategy: Strategy;
  readonly allowDowngrade: boolean;
}

/** An annotation or an image that can't be understood. */
export interface SettingProblem {
  /** The annotation's key, or `image of container <name>`. */
  readonly key: string;
  readonly value: string;
  /** What is wrong and what is expected. */
  readonly message: string;
  /** True: updates of the workload are closed until it is mended. False: it is only said. */
  readonly closes: boolean;
}

/** What the annotations of a workload ask for. */
export interface WorkloadSettings {
  readonly enabled: boolean;
  readonly suspended: boolean;
  /** Empty: any time is fine. */
  readonly windows: readonly MaintenanceWindow[];
  readonly autoRollback: boolean;
  readonly rollbackTimeout: DurationMs;
  readonly allowDeclaredSource: boolean;
  /** By container name; a container that is not to be updated is missing. */
  readonly containers: Readonly<Record<string, ContainerSettings>>;
  /** In the order of the annotations' keys. */
  readonly problems: readonly SettingProblem[];
}

/** The prefix of the annotations that people write. */
export const annotationPrefix = "lookout.dev/";
/** The prefix of the annotations that Lookout writes; they are never read. */
export const statusPrefix = "lookout.dev/status.";
/** How long a rollout may take where `lookout.dev/rollback-timeout` says nothing: the default progress deadline of a Deployment. */
export const defaultRollbackTimeout: DurationMs = minutes(10);

/** Picks the annotations that settings are read from: Lookout's own, without its status. */
export function settingAnnotations(annotations: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(annotations)
      .filter(([key]) => key.startsWith(annotationPrefix) && !key.startsWith(statusPrefix))
      .sort(([left], [right]) => (left < right ? -1 : 1)),
  );
}

/**
 * Says whether annotations may name a pattern, which {@link parseSettings} then needs a compiler for. It may be wrong in saying so, and
 * is not in denying it.
 */
export function mayNamePattern(annotations: Readonly<Record<string, string>>): boolean {
  return Object.entries(annotations).some(
    ([key, value]) =>
      key.startsWith(annotationPrefix) && (key.endsWith(patternSetting) || value.includes(patternSetting)),
  );
}

/** Says whether a workload takes part at all: `lookout.dev/enabled` is true. What can't be understood takes part, and is closed. */
export function isEnabled(annotations: Readonly<Record<string, string>>): boolean {
  const value = annotations[`${annotationPrefix}enabled`];
  return value !== undefined && (truthy(value) || !readBoolean(value).ok);
}

/**
 * Reads the settings of a workload from its annotations.
 *
 * Nothing is skipped: an unknown key, a value that can't be read and a setting of another version are all problems, and a problem of
 * anything that limits updates closes them. It never widens a policy.
 *
 * @param compile - needed where {@link mayNamePattern} says so; without it a pattern is a problem.
 */
export function parseSettings(
  annotations: Readonly<Record<string, string>>,
  containers: readonly Pick<ContainerState, "list" | "name" | "image">[],
  compile?: CompilePattern,
): WorkloadSettings {
  const reader = readerOf(settingAnnotations(annotations));
  const windows = readWindows(reader);
  const settings = {
    enabled: isEnabled(annotations),
    suspended: reader.read("suspend", readBoolean) ?? false,
    windows,
    autoRollback: reader.read("auto-rollback", readBoolean) ?? true,
    rollbackTimeout: reader.read("rollback-timeout", readTimeout) ?? defaultRollbackTimeout,
    allowDeclaredSource: reader.read("allow-declared-source", readBoolean) ?? false,
    containers: Object.assign(
      // A container may be called "constructor".
      Object.create(null) as Record<string, ContainerSettings>,
      Object.fromEntries(
        containers.flatMap((container) => {
          const found = readContainer(reader, container, compile);
          return found === undefined ? [] : [[container.name, found] as const];
        }),
      ),
    ),
  };
  reader.read("enabled", readBoolean);
  reader.reportUnknown(containers);
  return { ...settings, problems: reader.problems.toSorted((left, right) => (left.key < right.key ? -1 : 1)) };
}

interface SettingReader {
  readonly problems: SettingProblem[];
  /** Answers undefined where the annotation is missing or can't be read; the latter is a problem. */
  read<Value>(key: string, parse: ReadValue<Value>): Value | undefined;
  readonly value: (key: string) => string | undefined;
  readonly report: (key: string, message: string) => void;
  readonly reportUnknown: (containers: readonly Pick<ContainerState, "list" | "name">[]) => void;
}

function readerOf(annotations: Readonly<Record<string, string>>): SettingReader {
  const problems: SettingProblem[] = [];
  const value = (key: string): string | undefined => annotations[annotationPrefix + key];
  const report = (key: string, complaint: string, closes = true): void => {
    // The value is shown beside every problem: a message need not begin with it.
    const shown = `"${value(key) ?? ""}": `;
    const message = complaint.startsWith(shown) ? complaint.slice(shown.length) : complaint;
    const known = problems.some((other) => other.key === annotationPrefix + key);
    if (!known) problems.push({ key: annotationPrefix + key, value: value(key) ?? "", message, closes });
  };
  return {
    problems,
    value,
    report,
    read(key, parse) {
      const text = value(key);
      if (text === undefined) return undefined;
      const parsed = parse(text);
      if (parsed.ok) return parsed.value;
      report(key, parsed.problem);
      return undefined;
    },
    reportUnknown(containers) {
      for (const key of Object.keys(annotations)) {
        const short = key.slice(annotationPrefix.length);
        const complaint = complaintAbout(short, containers);
        if (complaint !== undefined) report(short, complaint.message, complaint.closes);
      }
    },
  };
}

function complaintAbout(
  key: string,
  containers: readonly Pick<ContainerState, "list" | "name">[],
): { readonly message: string; readonly closes: boolean } | undefined {
  if (workloadKeys.has(key)) return undefined;
  const scoped = /^(container|initContainer)\.(.+)\.([a-z-]+)$/.exec(key);
  const setting = scoped?.[3] ?? key;
  if (noticeOnly.has(setting)) return { message: "is not used by this version of Lookout", closes: false };
  if (keysOfOtherVersions.has(setting)) return { message: "is not supported by this version of Lookout", closes: true };
  if (scoped === null) return { message: `is not a setting${suggestionFor(key)}`, closes: true };
  const list = scoped[1] === "container" ? "containers" : "initContainers";
  if (!containers.some((container) => container.list === list && container.name === scoped[2]))
    return {
      message: `names no ${list === "containers" ? "container" : "init container"} of this workload`,
      closes: true,
    };
  return containerSettings.has(setting)
    ? undefined
    : { message: `is not a setting of a container${suggestionFor(setting)}`, closes: true };
}

function readContainer(
  reader: SettingReader,
  container: Pick<ContainerState, "list" | "name" | "image">,
  compile: CompilePattern | undefined,
): ContainerSettings | undefined {
  const own = `${container.list === "containers" ? "container" : "initContainer"}.${container.name}.`;
  const read: ReadSetting = (setting, parse) =>
    reader.read(reader.value(own + setting) === undefined ? setting : own + setting, parse);
  const enabled = reader.read(`${own}enabled`, readBoolean) ?? container.list === "containers";
  if (!enabled) return undefined;
  const wrong = imageProblem(container);
  if (wrong !== undefined) {
    reader.problems.push(wrong);
    return undefined;
  }
  const kind = read("policy", readPolicyKind) ?? policyWithout(reader, container);
  return kind === undefined ? undefined : { ...readPolicySettings(read, kind, compile), ...readWriting(read) };
}

/** What is followed where no policy is named: versions for a tag, `latest` for no tag, and nothing for a digest alone. */
function policyWithout(
  { problems }: SettingReader,
  container: Pick<ContainerState, "name" | "image">,
): "semver" | "digest" | undefined {
  const parsed = parseImageReference(container.image);
  if (!parsed.ok || parsed.value.tag !== undefined) return "semver";
  const about = { key: `image of container ${container.name}`, value: container.image };
  if (parsed.value.digest === undefined) {
    problems.push({ ...about, message: "it has no tag, so latest is followed; name a tag or a policy", closes: false });
    return "digest";
  }
  problems.push({ ...about, message: "it names a digest alone: expected a tag, or lookout.dev/policy", closes: true });
  return undefined;
}

function readWriting(read: ReadSetting): Pick<ContainerSettings, "apply" | "strategy" | "allowDowngrade"> {
  return {
    apply: read("apply", oneOf(["pin", "tag", "restart"] as const)) ?? "pin",
    strategy: read("strategy", oneOf(["tag", "digest", "tag+digest"] as const)) ?? "tag+digest",
    allowDowngrade: read("allow-downgrade", readBoolean) ?? false,
  };
}

function imageProblem(container: Pick<ContainerState, "name" | "image">): SettingProblem | undefined {
  const parsed = parseImageReference(container.image);
  if (parsed.ok && parsed.value.registry !== "") return undefined;
  const message = parsed.ok ? "its registry is not a host" : parsed.problem.message;
  return { key: `image of container ${container.name}`, value: container.image, message, closes: true };
}

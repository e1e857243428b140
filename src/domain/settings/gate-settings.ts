import { isTag } from "../image/reference.ts";
import { formatDuration } from "../shared/duration.ts";
import { ok, problem } from "../shared/result.ts";
import { type DurationMs, hours } from "../shared/time.ts";
import { oneOf, readDuration, readList, type ReadValue } from "./setting-values.ts";
import type { SettingScope } from "./setting-reader.ts";

/** The severities of a scan's findings, the highest last. */
const severities = ["none", "low", "medium", "high", "critical"] as const;
/** A severity of a scan's findings. `none`: no finding. */
export type Severity = (typeof severities)[number];

/**
 * The settings of gates. This version supports the minimum age and the platforms. The other
 * settings hold updates.
 */
export interface GateSettings {
  /** The time for which Lookout must have known an image. */
  readonly minAge?: DurationMs;
  /** `os/architecture[/variant]`: the platforms that an image must have. */
  readonly platforms?: readonly string[];
  /** The tier in which the workload is updated. */
  readonly tier?: string;
  /** The highest severity that an image may have. */
  readonly maxSeverity?: Severity;
  /** The allowed signers. One of them must have signed the image. */
  readonly signedBy?: readonly string[];
  /** The tag of a rollback. Absent: the previous image. */
  readonly rollbackTo?: string;
}

/** The settings of gates that this version supports. */
export const gateKeys = ["min-age", "platforms"] as const;

/** Known settings of workloads whose gates this version lacks. They hold updates instead of being ignored. */
export const unsupportedGateKeys = ["tier", "max-severity", "signed-by", "rollback-to"] as const;

/** The problem of a setting whose gate this version lacks. */
const unsupported = "is not supported by this version of Lookout";

/** Rejects a setting whose gate this version lacks. */
export function readUnsupported<Value>(
  { read, refuse }: SettingScope,
  setting: string,
  parse: ReadValue<Value>,
  asksForNothing: (value: Value) => boolean = () => false,
): Value | undefined {
  const value = read(setting, parse);
  if (value !== undefined && !asksForNothing(value)) refuse(setting, unsupported);
  return value;
}

/** Parses the settings of gates. */
export function readGateSettings(scope: SettingScope): GateSettings {
  const minAge = scope.read("min-age", readMinAge);
  const platforms = scope.read("platforms", readPlatforms);
  const tier = readUnsupported(scope, "tier", readTier);
  const maxSeverity = readUnsupported(scope, "max-severity", oneOf(severities));
  const signedBy = readUnsupported(
    scope,
    "signed-by",
    readList("signers, separated by commas, such as release@example.com"),
  );
  const rollbackTo = readUnsupported(scope, "rollback-to", readRollbackTo, (to) => to === previous);
  return {
    ...(minAge !== undefined && { minAge }),
    ...(platforms && { platforms }),
    ...(tier !== undefined && { tier }),
    ...(maxSeverity && { maxSeverity }),
    ...(signedBy && { signedBy }),
    ...(rollbackTo !== undefined && rollbackTo !== previous && { rollbackTo }),
  };
}

/** The longest minimum age. Lookout keeps sightings of images for twice this time. */
const longestMinAge = hours(90 * 24);

const readMinAge: ReadValue<DurationMs> = (text) => {
  const age = readDuration(text);
  return age.ok && age.value > longestMinAge ? problem(`expected at most ${formatDuration(longestMinAge)}`) : age;
};

/** The default target of a rollback. */
const previous = "previous";

const readRollbackTo: ReadValue<string> = (text) =>
  isTag(text.trim()) ? ok(text.trim()) : problem(`expected ${previous} or a tag, such as 1.4.2`);

/** A tier has the form of a Kubernetes label. */
const readTier: ReadValue<string> = (text) =>
  /^[a-z0-9]([-a-z0-9_.]{0,61}[a-z0-9])?$/i.test(text.trim())
    ? ok(text.trim())
    : problem("expected a name of letters, digits, dashes, dots and underscores, of at most 63 characters");

/** Matches the platforms of Kubernetes. */
const PLATFORM = /^(linux\/(amd64|arm64(\/v8)?|arm(\/v[5-8])?|386|ppc64le|riscv64|s390x)|windows\/(amd64|arm64))$/;

const readPlatforms: ReadValue<readonly string[]> = (text) => {
  const list = readList("platforms, separated by commas, such as linux/amd64,linux/arm64")(text);
  if (!list.ok) return list;
  const unknown = list.value.find((platform) => !PLATFORM.test(platform));
  return unknown === undefined
    ? list
    : problem(`${unknown}: not a platform (expected for example linux/amd64 or linux/arm64)`);
};

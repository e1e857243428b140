import { formatDuration } from "../shared/duration.ts";
import { ok, problem } from "../shared/result.ts";
import { type DurationMs, hours } from "../shared/time.ts";
import { notSupported, oneOf, readDuration, readList, type ReadValue } from "./setting-values.ts";
import type { SettingScope } from "./setting-reader.ts";

/** A setting that only one gate reads. */
interface GateSetting<Value> {
  /** The annotation without its prefix. */
  readonly setting: string;
  /** False: this version lacks the gate, so the setting holds updates. */
  readonly isSupported: boolean;
  readonly parse: ReadValue<Value>;
  /** The label of the value in `lookout workload`. */
  readonly label: string;
  /** Returns the value for JSON, as annotations write it. */
  readonly toJson: (value: Value) => string | readonly string[];
  /** Returns the value for people. */
  readonly toText: (value: Value) => string;
}

/** The severities of a scan's findings, the highest last. */
const readSeverity = oneOf(["none", "low", "medium", "high", "critical"]);

/** The longest minimum age. Lookout keeps sightings of images for twice this time. */
const longestMinAge = hours(90 * 24);

const readMinAge: ReadValue<DurationMs> = (text) => {
  const age = readDuration(text);
  return age.ok && age.value > longestMinAge ? problem(`expected at most ${formatDuration(longestMinAge)}`) : age;
};

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

function gateSetting<Value>(row: GateSetting<Value>): GateSetting<Value> {
  return row;
}

/** The settings of gates, in the order in which users see them. */
export const gateSettings = {
  /** The time for which Lookout must have known an image. */
  minAge: gateSetting({
    setting: "min-age",
    isSupported: true,
    parse: readMinAge,
    label: "minimum age",
    toJson: formatDuration,
    toText: formatDuration,
  }),
  /** `os/architecture[/variant]`: the platforms that an image must have. */
  platforms: gateSetting({
    setting: "platforms",
    isSupported: true,
    parse: readPlatforms,
    label: "platforms",
    toJson: (platforms) => platforms,
    toText: (platforms) => platforms.join(", "),
  }),
  /** The tier in which the workload is updated. */
  tier: gateSetting({
    setting: "tier",
    isSupported: false,
    parse: readTier,
    label: "tier",
    toJson: (tier) => tier,
    toText: (tier) => tier,
  }),
  /** The highest severity of a scan's findings that an image may have. `none`: no finding. */
  maxSeverity: gateSetting({
    setting: "max-severity",
    isSupported: false,
    parse: readSeverity,
    label: "scan",
    toJson: (severity) => severity,
    toText: (severity) => `findings up to ${severity}`,
  }),
  /** The allowed signers. One of them must have signed the image. */
  signedBy: gateSetting({
    setting: "signed-by",
    isSupported: false,
    parse: readList("signers, separated by commas, such as release@example.com"),
    label: "signature",
    toJson: (signers) => signers,
    toText: (signers) => `by ${signers.join(" or ")}`,
  }),
};

/** The name of a row of {@link gateSettings}. */
export type GateSettingName = keyof typeof gateSettings;
/** The names of {@link gateSettings}, in their order. */
export const gateSettingNames = Object.keys(gateSettings) as readonly GateSettingName[];

type ValueOf<Row> = Row extends GateSetting<infer Value> ? Value : never;

/** The values of {@link gateSettings}. An absent setting is not written. */
export type GateSettings = { readonly [Name in GateSettingName]?: ValueOf<(typeof gateSettings)[Name]> };

/** The settings of gates that this version supports. */
export const gateKeys = namesOf(true);

/**
 * Known settings of workloads whose gates this version lacks. They hold updates instead of being
 * ignored.
 */
export const unsupportedGateKeys = namesOf(false);

function namesOf(isSupported: boolean): readonly string[] {
  return Object.values(gateSettings)
    .filter((row) => row.isSupported === isSupported)
    .map(({ setting }) => setting);
}

/** Parses the settings of gates. */
export function readGateSettings({ read, refuse }: SettingScope): GateSettings {
  const values = Object.entries(gateSettings).flatMap(([name, { setting, parse, isSupported }]) => {
    const value = read<unknown>(setting, parse);
    if (value === undefined) return [];
    if (!isSupported) refuse(setting, notSupported);
    return [[name, value] as const];
  });
  return Object.fromEntries(values);
}

/**
 * Returns a setting of a gate for JSON and for people; undefined: the workload does not have it.
 */
export function formatGateSetting(
  name: GateSettingName,
  settings: GateSettings,
): { readonly json: string | readonly string[]; readonly text: string } | undefined {
  const value = settings[name];
  if (value === undefined) return undefined;
  // The type of each value is the type in its row.
  const row: Pick<GateSetting<never>, "toJson" | "toText"> = gateSettings[name];
  return { json: row.toJson(value as never), text: row.toText(value as never) };
}

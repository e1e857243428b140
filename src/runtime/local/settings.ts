import { homedir } from "node:os";
import { join } from "node:path";
import type { SettingsView, SettingView } from "#contracts/api/process";
import type { ClusterConfiguration } from "#contracts/config/configuration";
import { isObject } from "#domain/shared/json";
import type { PlaceKind } from "#contracts/config/secret-places";
import { secretAt } from "#contracts/config/secrets";
import schema from "../../../docs/lookout.schema.json" with { type: "json" };
import { shownDemoLimits } from "./demo-limits.ts";
import type { LoadedConfiguration } from "./configuration.ts";

/** The settings of flags. */
interface FlagSettings {
  readonly dataDir?: string;
  readonly listen?: string;
  readonly observe?: true;
  readonly certFile?: string;
  readonly keyFile?: string;
  /** The cluster of `--kubeconfig`. This cluster replaces a cluster of the same name. */
  readonly cluster: ClusterConfiguration | undefined;
  /** The cluster of the pod that runs this process, if no cluster is configured. */
  readonly ofPod?: ClusterConfiguration | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;
type Steps = readonly (string | number)[];

/** The part of JSON Schema that the schema of `lookout.yaml` uses. */
interface Schema {
  readonly type?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly required?: readonly string[];
  /** The forms of a key that accepts a text or a mapping. */
  readonly anyOf?: readonly Schema[];
  /** The forms of an entry of several kinds. */
  readonly oneOf?: readonly Schema[];
  readonly const?: unknown;
}

/**
 * Returns every setting in effect with its source, in the order of the schema. Secrets appear only
 * as set or not set.
 */
export function settingsOf(loaded: LoadedConfiguration, flags: FlagSettings, environment: Environment): SettingsView {
  const { file } = loaded;
  const defaults = isDemo(loaded, flags) ? shownDemoLimits : {};
  const written = fromFile(schema as Schema, loaded.written.content, [], { loaded, environment, defaults }).filter(
    ({ steps }) => steps[0] !== "clusters" || nameAt(loaded.written.content, steps) !== flags.cluster?.name,
  );
  const overruled = [...flagged(flags), ...fromEnvironment(flags, environment)];
  const overruling = new Map(overruled.map((setting) => [setting.setting, setting]));
  const settings = written.map(({ row }) => overruling.get(row.setting) ?? row);
  const shown = new Set(settings.map(({ setting }) => setting));
  const all = [...clustersOf(loaded, flags), ...settings, ...overruled.filter(({ setting }) => !shown.has(setting))];
  return {
    ...(file === undefined ? {} : { file }),
    settings: [...all, ...beside(all, environment)],
  };
}

interface Written {
  readonly steps: Steps;
  readonly row: SettingView;
}

interface Reading {
  /** The values that override the schema's defaults, by path. */
  readonly defaults: Readonly<Record<string, string>>;
  readonly loaded: LoadedConfiguration;
  readonly environment: Environment;
}

function fromFile(schema: Schema, value: unknown, steps: Steps, reading: Reading): readonly Written[] {
  const part = isObject(value) ? mappingOf(schema) : schema;
  const { properties, items } = part;
  if (value === undefined && !hasDefaults(part, steps)) return [];
  if (properties !== undefined)
    return Object.entries(properties).flatMap(([key, inner]) =>
      fromFile(inner, memberOf(value, key), [...steps, key], reading),
    );
  if (items !== undefined && hasEntries(items))
    return (Array.isArray(value) ? value : []).flatMap((entry, index) =>
      fromFile(formOf(items, entry), entry, [...steps, index], reading),
    );
  const inEffect = value ?? reading.defaults[pathOf(steps)] ?? part.default;
  return inEffect === undefined || isEmptyList(inEffect)
    ? []
    : [{ steps, row: rowOf(steps, inEffect, value !== undefined, reading) }];
}

/** Returns the form of a mapping, if a key accepts several forms. */
function mappingOf(schema: Schema): Schema {
  return schema.anyOf?.find(({ properties }) => properties !== undefined) ?? schema;
}

/** Returns whether the items of a list are mappings. */
function hasEntries({ properties, oneOf }: Schema): boolean {
  return properties !== undefined || oneOf !== undefined;
}

/** Returns the form of an entry, if entries have several kinds. */
function formOf(schema: Schema, entry: unknown): Schema {
  const kind = isObject(entry) ? entry["kind"] : undefined;
  return schema.oneOf?.find(({ properties }) => properties?.["kind"]?.const === kind) ?? schema;
}

/**
 * Returns whether a key that the file lacks may have defaults. A section has none if it has required
 * keys, or no default itself.
 */
function hasDefaults({ properties, required = [], default: own }: Schema, steps: Steps): boolean {
  return required.length === 0 && (properties === undefined || steps.length === 0 || own !== undefined);
}

function rowOf(steps: Steps, value: unknown, isWritten: boolean, { loaded, environment }: Reading): SettingView {
  const { line, column } = loaded.written.positionOf(steps);
  const where = isWritten
    ? ({ source: "file", place: `${loaded.file ?? ""}:${line}:${column}` } as const)
    : ({ source: "default" } as const);
  const secret = secretAt(steps);
  if (secret === undefined) return { setting: pathOf(steps), value: textOf(value), ...where };
  const from = secretFrom(secret.kind, textOf(value), environment, loaded.absentFiles);
  return { setting: pathOf([...steps.slice(0, -1), secret.name]), value: from, ...where };
}

/**
 * Returns the display text of a secret. A secret in AWS is not queried, because the answer may
 * change.
 */
function secretFrom(kind: PlaceKind, name: string, environment: Environment, absent: ReadonlySet<string>): string {
  switch (kind) {
    case "variable":
      return secretIn(name, environment);
    case "file":
      return secretInFile(name, absent);
    case "parameter":
      return `read from the parameter ${name} of SSM`;
    case "secret":
      return `read from the secret ${name} of Secrets Manager`;
  }
}

function secretIn(variable: string, environment: Environment): string {
  const isSet = (environment[variable] ?? "").trim() !== "";
  return isSet ? `set from the variable ${variable}` : `not set: the variable ${variable} is empty`;
}

function secretInFile(file: string, absent: ReadonlySet<string>): string {
  return absent.has(file) ? `not set: the file ${file} does not exist` : `set from the file ${file}`;
}

function flagged({ dataDir, listen, certFile, keyFile, observe, cluster }: FlagSettings): readonly SettingView[] {
  const row = (setting: string, value: string | undefined, place: string): readonly SettingView[] =>
    value === undefined ? [] : [{ setting, value, source: "flag", place }];
  const name = cluster === undefined ? undefined : `clusters.${cluster.name}`;
  return [
    ...row("mode", observe === true ? "observe" : undefined, "--observe"),
    ...row("listen", listen, "--listen"),
    ...row("listen.certFile", certFile, "--cert-file"),
    ...row("listen.keyFile", keyFile, "--key-file"),
    ...row("dataDir", dataDir, "--data"),
    ...(name === undefined
      ? []
      : [
          ...row(`${name}.kubeconfig`, cluster?.kubeconfig, "--kubeconfig"),
          ...row(`${name}.context`, cluster?.context, "--context"),
        ]),
  ];
}

function fromEnvironment({ dataDir }: FlagSettings, environment: Environment): readonly SettingView[] {
  const data = environment["LOOKOUT_DATA"] ?? "";
  if (dataDir !== undefined || data === "") return [];
  return [{ setting: "dataDir", value: data, source: "environment", place: "LOOKOUT_DATA" }];
}

/** Returns whether the process runs the demo, because no cluster is configured. */
function isDemo({ configuration }: LoadedConfiguration, { cluster, ofPod }: FlagSettings): boolean {
  return (cluster ?? ofPod) === undefined && configuration.clusters.length === 0;
}

function clustersOf(loaded: LoadedConfiguration, flags: FlagSettings): readonly SettingView[] {
  if (flags.ofPod !== undefined) {
    const setting = `clusters.${flags.ofPod.name}.inCluster`;
    return [{ setting, value: "true", source: "environment", place: "KUBERNETES_SERVICE_HOST" }];
  }
  return isDemo(loaded, flags) ? [{ setting: "clusters", value: "the demo cluster", source: "default" }] : [];
}

/** Returns the settings without a key in `lookout.yaml`: variables and files of other programs. */
function beside(settings: readonly SettingView[], environment: Environment): readonly SettingView[] {
  const chosen = (setting: string, variable: string, byDefault: string): SettingView => {
    const value = environment[variable] ?? "";
    return value === ""
      ? { setting, value: byDefault, source: "default" }
      : { setting, value, source: "environment", place: variable };
  };
  const hasReceivers = settings.some(({ setting }) => setting.startsWith("receivers"));
  const secret = "LOOKOUT_WEBHOOK_SECRET";
  return [
    ...(hasReceivers || (environment[secret] ?? "") === ""
      ? []
      : (["distribution", "generic"] as const).map((name): SettingView => ({
          setting: `receivers.${name}.secret`,
          value: secretIn(secret, environment),
          source: "environment",
          place: secret,
        }))),
    chosen("kubeconfig of clusters without an own path", "KUBECONFIG", join(homedir(), ".kube", "config")),
    chosen("folder of docker's config.json", "DOCKER_CONFIG", join(homedir(), ".docker")),
  ];
}

function nameAt(content: unknown, [list = "", index = ""]: Steps): unknown {
  return valueAt(content, [list, index, "name"]);
}

/** Returns the value at a path; undefined for a missing or null value. */
export function valueAt(content: unknown, steps: Steps): unknown {
  return steps.reduce(memberOf, content);
}

function memberOf(value: unknown, key: string | number): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  // An empty section (`clusters:`) has no value.
  return (Object.getOwnPropertyDescriptor(value, key)?.value as unknown) ?? undefined;
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function textOf(value: unknown): string {
  return Array.isArray(value) ? value.join(", ") : String(value);
}

function pathOf(steps: Steps): string {
  return steps
    .map((step, index) => (typeof step === "number" ? `[${step}]` : `${index > 0 ? "." : ""}${step}`))
    .join("");
}

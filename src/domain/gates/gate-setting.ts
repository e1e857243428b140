import type { SettingScope } from "../annotations/setting-reader.ts";
import { notSupported, type ReadValue } from "../annotations/setting-values.ts";

/**
 * The values of the settings of gates, by the names of their annotations. Only the
 * {@link GateSetting} knows the type of its value. A setting is absent if the annotation is missing
 * or invalid.
 */
export type GateValues = Readonly<Record<string, unknown>>;

/** The value of a gate's setting in JSON. */
export type GateSettingJson = boolean | string | readonly string[];

/** The description of a setting that only one gate reads. */
export interface GateSettingRow<Value> {
  /** The annotation without its prefix. */
  readonly key: string;
  /** False if this version lacks the gate, so the setting holds updates. */
  readonly isSupported: boolean;
  readonly parse: ReadValue<Value>;
  /** The label of the value in `lookout workload`. */
  readonly label: string;
  /** Returns the value for JSON: texts as in the annotation, or a boolean. */
  readonly toJson: (value: Value) => GateSettingJson;
  /** Returns the value for people. */
  readonly toText: (value: Value) => string;
}

/** A setting that only one gate reads. */
export interface GateSetting<Value> extends Pick<GateSettingRow<Value>, "key" | "isSupported" | "label"> {
  /** Parses the annotation. Returns undefined if the setting is absent or invalid. */
  readonly read: (scope: SettingScope) => Value | undefined;
  /** Returns the value of a workload, or undefined if the workload does not have the setting. */
  readonly valueIn: (values: GateValues) => Value | undefined;
  /**
   * Returns the value for JSON and for people, or undefined if the workload does not have the
   * setting.
   */
  readonly format: (values: GateValues) => { readonly json: GateSettingJson; readonly text: string } | undefined;
}

/** Returns the setting that a row describes. */
export function gateSetting<Value>(row: GateSettingRow<Value>): GateSetting<Value> {
  const { key, label, isSupported, parse, toJson, toText } = row;
  // `read` returned the value under this key.
  const valueIn = (values: GateValues): Value | undefined => values[key] as Value | undefined;
  return {
    key,
    label,
    isSupported,
    read: ({ read, refuse }) => {
      const value = read(key, parse);
      if (value !== undefined && !isSupported) refuse(key, notSupported);
      return value;
    },
    valueIn,
    format: (values) => {
      const value = valueIn(values);
      return value === undefined ? undefined : { json: toJson(value), text: toText(value) };
    },
  };
}

import { compareTexts } from "../shared/text-order.ts";
import type { ReadValue } from "./setting-values.ts";
import {
  type ContainerName,
  problemOf,
  type SettingProblem,
  type WrittenSetting,
  type WrittenSettings,
} from "./written-settings.ts";

/** Reads the settings of a workload or a container, and reports problems. */
export interface SettingScope {
  /**
   * Returns a parsed setting, or undefined if the setting is absent or invalid. An invalid setting
   * closes the gates. Containers inherit the workload's settings.
   */
  readonly read: <Value>(setting: string, parse: ReadValue<Value>) => Value | undefined;
  /** Reports a valid setting that closes the gates. */
  readonly refuse: (setting: string, message: string) => void;
  /** Returns whether a setting of this scope closes the gates. */
  readonly isClosed: () => boolean;
  /** The invalid settings of this scope, in the order of reading. */
  readonly unreadable: () => readonly string[];
}

/** Reads the annotations of a workload, and collects problems. */
export interface SettingReader {
  /** Returns the settings of a container; without a name, the settings of the workload. */
  readonly scope: (of?: ContainerName) => SettingScope;
  /** Adds a problem. Only the first problem of each place is kept. */
  readonly tell: (written: Pick<WrittenSetting, "key" | "place" | "text">, message: string, closes: boolean) => void;
  /** Returns whether a setting was read. */
  readonly wasRead: (written: WrittenSetting) => boolean;
  /** Returns the problems in the order of keys. */
  readonly problems: () => readonly SettingProblem[];
}

/** Returns a reader of written settings. */
export function readerOf({ of: writtenOf, complaints }: WrittenSettings): SettingReader {
  const told = new Map<string, SettingProblem>();
  const asked = new Set<WrittenSetting>();
  const closed = new Set<WrittenSetting>();
  const tell: SettingReader["tell"] = ({ key, place, text }, message, closes) => {
    const id = `${key}\n${place ?? ""}`;
    if (!told.has(id))
      told.set(id, problemOf({ key, text, message, closes, ...(place === undefined ? {} : { place }) }));
  };
  for (const complaint of complaints) tell(complaint, complaint.message, complaint.closes);
  const close = (written: WrittenSetting, message: string): void => {
    closed.add(written);
    tell(written, message, true);
  };
  return {
    tell,
    wasRead: (written) => asked.has(written),
    problems: () => [...told.values()].sort((one, other) => compareTexts(one.key, other.key)),
    scope: (of) => openScope(writtenOf(of), writtenOf(), { asked, closed, close }),
  };
}

/** The state that all scopes of a reader share. */
interface Shared {
  /** The settings that were read. */
  readonly asked: Set<WrittenSetting>;
  /** The settings that close the gates. */
  readonly closed: ReadonlySet<WrittenSetting>;
  readonly close: (written: WrittenSetting, message: string) => void;
}

type Settings = ReadonlyMap<string, WrittenSetting>;

function openScope(own: Settings, workloads: Settings, { asked, closed, close }: Shared): SettingScope {
  const seen = new Set<WrittenSetting>();
  const unreadable = new Set<string>();
  const find = (setting: string): WrittenSetting | undefined => own.get(setting) ?? workloads.get(setting);
  return {
    read: (setting, parse) => {
      const written = find(setting);
      if (written === undefined) return undefined;
      seen.add(written);
      asked.add(written);
      const value = parse(written.text);
      if (value.ok) return value.value;
      unreadable.add(setting);
      close(written, value.problem);
      return undefined;
    },
    refuse: (setting, message) => {
      const written = find(setting);
      if (written !== undefined) close(written, message);
    },
    isClosed: () => [...seen].some((written) => closed.has(written)),
    unreadable: () => [...unreadable],
  };
}

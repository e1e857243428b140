import { compareTexts } from "../shared/text-order.ts";
import type { ReadValue } from "./setting-values.ts";
import {
  type ContainerName,
  problemOf,
  type SettingProblem,
  type WrittenSetting,
  type WrittenSettings,
} from "./written-settings.ts";

/** The settings of a workload or a container, and the receiver of problems. */
export interface SettingScope {
  /** Undefined where the setting is missing or can't be read; the latter is told, and closes. A container has the workload's too. */
  readonly read: <Value>(setting: string, parse: ReadValue<Value>) => Value | undefined;
  /** Tells that what is written of a setting closes updates, though it can be read. */
  readonly refuse: (setting: string, message: string) => void;
  /** Whether anything that was read here closes updates. */
  readonly isClosed: () => boolean;
  /** The settings that were read here and that can't be, in the order of reading. */
  readonly unreadable: () => readonly string[];
}

/** Reads what is written about a workload, and gathers what is wrong with it. */
export interface SettingReader {
  /** Those of a container, or of the workload where none is given. */
  readonly scope: (of?: ContainerName) => SettingScope;
  /** Adds a problem; of one place, only the first is told. */
  readonly tell: (written: Pick<WrittenSetting, "key" | "place" | "text">, message: string, closes: boolean) => void;
  /** Whether anyone asked for a setting. */
  readonly wasRead: (written: WrittenSetting) => boolean;
  /** What was told, in the order of keys. */
  readonly problems: () => readonly SettingProblem[];
}

/** Makes a reader over what is written. */
export function readerOf({ of: writtenOf, complaints }: WrittenSettings): SettingReader {
  const told = new Map<string, SettingProblem>();
  const [asked, closed] = [new Set<WrittenSetting>(), new Set<WrittenSetting>()];
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
    scope: (of) => scopeOver(writtenOf(of), writtenOf(), { asked, closed, close }),
  };
}

/** What all scopes of a reader share. */
interface Shared {
  /** What anyone asked for. */
  readonly asked: Set<WrittenSetting>;
  /** What closes. */
  readonly closed: ReadonlySet<WrittenSetting>;
  readonly close: (written: WrittenSetting, message: string) => void;
}

type Settings = ReadonlyMap<string, WrittenSetting>;

function scopeOver(own: Settings, workloads: Settings, { asked, closed, close }: Shared): SettingScope {
  const [seen, unreadable] = [new Set<WrittenSetting>(), new Set<string>()];
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

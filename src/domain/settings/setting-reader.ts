import type { ReadValue } from "./setting-values.ts";
import {
  type ContainerName,
  problemOf,
  type SettingProblem,
  type WrittenSetting,
  type WrittenSettings,
} from "./written-settings.ts";

/** Where settings are read from, and who is told what is wrong with them: those of the workload, or those of a container. */
export interface SettingScope {
  /** Undefined where the setting is missing or can't be read; the latter is told, and closes. A container has the workload's too. */
  readonly read: <Value>(setting: string, parse: ReadValue<Value>) => Value | undefined;
  /** Tells that what is written of a setting closes updates. */
  readonly refuse: (setting: string, message: string) => void;
  /** Whether anything that was read here closes updates. */
  readonly isClosed: () => boolean;
}

/** Reads what is written about a workload, and gathers what is wrong with it. */
export interface SettingReader {
  /** Those of a container, or of the workload where none is given. */
  readonly scope: (of?: ContainerName) => SettingScope;
  /** Adds a problem; of one place, only the first is told. */
  readonly tell: (written: Pick<WrittenSetting, "key" | "place" | "text">, message: string, closes: boolean) => void;
  /** What was told, in the order of keys. */
  readonly problems: () => readonly SettingProblem[];
}

/** Makes a reader over what is written. */
export function readerOf({ of: writtenOf, complaints }: WrittenSettings): SettingReader {
  const told = new Map<string, SettingProblem>();
  const tell: SettingReader["tell"] = ({ key, place, text }, message, closes) => {
    const id = `${key}\n${place ?? ""}`;
    if (!told.has(id))
      told.set(id, problemOf({ key, text, message, closes, ...(place === undefined ? {} : { place }) }));
  };
  for (const complaint of complaints) tell(complaint, complaint.message, complaint.closes);
  const closed = new Set<WrittenSetting>();
  const close = (written: WrittenSetting, message: string): void => {
    closed.add(written);
    tell(written, message, true);
  };
  return {
    tell,
    problems: () => [...told.values()].sort((one, other) => compareTexts(one.key, other.key)),
    scope: (of) => {
      const seen = new Set<WrittenSetting>();
      const [own, workloads] = [writtenOf(of), writtenOf()];
      const written = (setting: string): WrittenSetting | undefined => own.get(setting) ?? workloads.get(setting);
      return {
        read(setting, parse) {
          const one = written(setting);
          if (one === undefined) return undefined;
          seen.add(one);
          const parsed = parse(one.text);
          if (parsed.ok) return parsed.value;
          close(one, parsed.problem);
          return undefined;
        },
        refuse(setting, message) {
          const one = written(setting);
          if (one !== undefined) close(one, message);
        },
        isClosed: () => [...seen].some((one) => closed.has(one)),
      };
    },
  };
}

function compareTexts(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

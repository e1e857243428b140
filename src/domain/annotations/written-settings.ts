import { shortened } from "../shared/shown-text.ts";
import type { ContainerState } from "../workload/observed.ts";
import { volumePrefix } from "../workload/workload.ts";

/** The prefix of the annotations of users. */
export const annotationPrefix = "lookout.dev/";
/** The prefix of the annotations that Lookout writes, and never reads. */
export const statusPrefix = "lookout.dev/status.";

/** The list and name by which settings name a container. */
export type ContainerName = Pick<ContainerState, "list" | "name">;

/** A setting as written, in any annotation. */
export interface WrittenSetting {
  /** The annotation's key. */
  readonly key: string;
  /** The path in an annotation with several settings: `api.policy`. */
  readonly place?: string;
  readonly text: string;
  /** The setting's name: `policy`. */
  readonly setting: string;
  /** The container of the setting. Absent for a setting of the workload. */
  readonly of?: ContainerName;
}

/** An annotation or an image that is invalid or unused. */
export interface SettingProblem {
  /** The annotation's key, or `image of container <name>`. */
  readonly key: string;
  /** The value, shortened. An address is shown without its path, which may be a secret. */
  readonly value: string;
  /**
   * The fault and the expected form. In an annotation with several settings, the message begins
   * with the place.
   */
  readonly message: string;
  /**
   * True if the problem holds the workload's updates until a user fixes it. False if Lookout only
   * reports the problem.
   */
  readonly closes: boolean;
}

/**
 * Returns a problem in words: `lookout.dev/semver-range ">>1": not a range (character 2)`. A setting that an object
 * declares has no value here: its message begins with the value.
 */
export function problemText({ key, value, message }: Pick<SettingProblem, "key" | "value" | "message">): string {
  const isDeclared = value === "" && !key.startsWith(annotationPrefix);
  return isDeclared ? `${key}: ${message}` : `${key} "${value}": ${message}`;
}

const imageOf = "image of container ";

/** Returns the subject of a problem with a container's image: `image of container api`. */
export function imageKey(container: string): string {
  return imageOf + container;
}

/** Returns the container in a key of {@link imageKey}; undefined for the key of an annotation. */
export function containerOfImageKey(key: string): string | undefined {
  return key.startsWith(imageOf) ? key.slice(imageOf.length) : undefined;
}

/** A problem before it is reported: the setting and its fault. */
export type Complaint = Pick<WrittenSetting, "key" | "place" | "text"> & Pick<SettingProblem, "message" | "closes">;

/** The settings of a workload as they are written, each once. */
export interface WrittenSettings {
  readonly all: readonly WrittenSetting[];
  /**
   * Returns the settings of a container by name; without a container, the settings of the workload.
   */
  readonly of: (container?: ContainerName) => ReadonlyMap<string, WrittenSetting>;
  /** The problems that are found before any value is read. */
  readonly complaints: readonly Complaint[];
  /** False if some settings are unreadable, so the settings of any container may be incomplete. */
  readonly isWhole: boolean;
}

/**
 * Collects settings from several annotations. If a setting is repeated, Lookout uses the first and
 * reports the others as problems.
 */
export function gatherSettings(written: readonly WrittenSetting[], complaints: readonly Complaint[]): WrittenSettings {
  const owners = new Map<string, Map<string, WrittenSetting>>();
  const repeated: Complaint[] = [];
  for (const one of written) {
    const owner = ownerKey(one.of);
    const settings = owners.get(owner) ?? new Map<string, WrittenSetting>();
    owners.set(owner, settings);
    const first = settings.get(one.setting);
    if (first === undefined) settings.set(one.setting, one);
    else repeated.push({ ...one, message: `repeats ${placeOf(first)}: write the setting once`, closes: true });
  }
  const all = [...complaints, ...repeated];
  return {
    all: [...owners.values()].flatMap((settings) => [...settings.values()]),
    of: (container) => owners.get(ownerKey(container)) ?? nothing,
    complaints: all,
    isWhole: !all.some(({ closes }) => closes),
  };
}

const nothing: ReadonlyMap<string, WrittenSetting> = new Map();

/**
 * Returns the owner and the name of the setting in an annotation's key: `container.api.policy`,
 * `policy`.
 */
export function writtenInKey(key: string, text: string): WrittenSetting {
  const short = key.slice(annotationPrefix.length);
  const [, word, name, setting] = /^(container|initContainer|volume)\.(.+)\.([^.]*)$/.exec(short) ?? [];
  if (name === undefined || setting === undefined) return { key, text, setting: short };
  if (word === "volume") return { key, text, setting, of: { list: "volumes", name: `${volumePrefix}${name}` } };
  return { key, text, setting, of: { list: word === "container" ? "containers" : "initContainers", name } };
}

/** Returns the place of a setting: the annotation, and the position in it. */
export function placeOf({ key, place }: Pick<WrittenSetting, "key" | "place">): string {
  return place === undefined ? key : `${key} (${place})`;
}

/** The largest length of a shown value. An annotation may be as long as 256 KiB. */
const longestShown = 200;
const longestMessage = 600;

/** Returns a complaint in the form that is stored and shown. */
export function problemOf({ key, place, text, message, closes }: Complaint): SettingProblem {
  // Lookout shows the value beside every problem, so the message does not repeat the value at its
  // start.
  const shown = `"${text}": `;
  const told = message.startsWith(shown) ? message.slice(shown.length) : message;
  const value = shortened(text.replace(/^(https?:\/\/)(?:[^/?#]*@)?([^/?#]*).*$/is, "$1$2/…"), longestShown);
  return { key, value, message: shortened(place === undefined ? told : `${place}: ${told}`, longestMessage), closes };
}

function ownerKey(container: ContainerName | undefined): string {
  return container === undefined ? "" : `${container.list}/${container.name}`;
}

import { briefJson, isObject } from "../shared/json.ts";
import { readJson } from "../shared/json-errors.ts";
import { ok, problem, type Result } from "../shared/result.ts";
import { volumePrefix } from "../workload/workload.ts";
import { wrongContainer } from "./container-names.ts";
import {
  annotationPrefix,
  type Complaint,
  type ContainerName,
  type WrittenSetting,
} from "../annotations/written-settings.ts";

/**
 * The setting that holds settings of several containers as JSON, for names that are too long for a
 * key.
 */
export const containersSetting = "containers";
const key = annotationPrefix + containersSetting;
/** The prefix of an init container's name. A container's name has no dot. */
const initPrefix = "initContainer.";

/**
 * Parses `lookout.dev/containers`: `{"api": {"policy": "digest"}, "initContainer.migrate":
 * {"enabled": true}}`.
 *
 * Each member names a container and holds its settings as texts or booleans. Repeated and malformed
 * members hold updates. An empty member of an unknown container also holds updates.
 */
export function readContainerJson(
  text: string,
  containers: readonly ContainerName[],
): {
  readonly written: readonly WrittenSetting[];
  readonly complaints: readonly Complaint[];
} {
  const complaints: Complaint[] = [];
  const complain = (place: string | undefined, value: string, message: string): void =>
    void complaints.push({ key, ...(place === undefined ? {} : { place }), text: value, message, closes: true });
  const members = membersOf(text);
  if (!members.ok) {
    complain(undefined, text, members.problem);
    return { written: [], complaints };
  }
  const written: WrittenSetting[] = [];
  for (const [name, settings] of members.value) {
    if (!isObject(settings)) {
      complain(name, briefJson(settings), 'expected settings, such as {"policy": "digest"}');
      continue;
    }
    const of = containerOf(name);
    const entries = Object.entries(settings);
    const wrong = entries.length === 0 ? wrongContainer(of, containers) : undefined;
    if (wrong !== undefined) complain(name, briefJson(settings), wrong);
    for (const [setting, value] of entries) {
      const place = `${name}.${setting}`;
      if (typeof value === "string" || typeof value === "boolean")
        written.push({ key, place, text: String(value), setting, of });
      else complain(place, briefJson(value), "expected a text in quotes, or true or false");
    }
  }
  return { written, complaints };
}

function containerOf(name: string): ContainerName {
  if (name.startsWith(volumePrefix)) return { list: "volumes", name };
  return name.startsWith(initPrefix)
    ? { list: "initContainers", name: name.slice(initPrefix.length) }
    : { list: "containers", name };
}

function membersOf(text: string): Result<readonly (readonly [string, unknown])[], string> {
  const read = readJson(text);
  if (!read.ok) return problem(`not JSON: ${read.problem}`);
  const { value } = read;
  if (!isObject(value)) return problem('expected an object, such as {"api": {"policy": "digest"}}');
  const repeated = repeatedMember(text);
  return repeated === undefined ? ok(Object.entries(value)) : problem(`${repeated}: is written twice`);
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],]/gs;

/**
 * Returns the path of a repeated member in valid JSON. A JSON parser would silently keep only the
 * last repeated member.
 */
function repeatedMember(text: string): string | undefined {
  // The names of each open object so far, and the name whose value is being read. A list has no
  // names.
  const open: { readonly names: Set<string> | undefined; name?: string }[] = [];
  for (const [token] of text.matchAll(TOKEN)) {
    const top = open.at(-1);
    if (token === "{") open.push({ names: new Set() });
    else if (token === "[") open.push({ names: undefined });
    else if (token === "}" || token === "]") open.pop();
    else if (token === ",") delete top?.name;
    else if (top?.names !== undefined && top.name === undefined) {
      top.name = JSON.parse(token) as string;
      if (top.names.has(top.name)) return open.flatMap(({ name }) => name ?? []).join(".");
      top.names.add(top.name);
    }
  }
  return undefined;
}

import { didYouMean, nearest } from "../shared/nearest.ts";
import type { ContainerName } from "../annotations/written-settings.ts";

/** The first word of the key of a container's setting, by the list of the container. */
export const listWords = { containers: "container", initContainers: "initContainer", volumes: "volume" } as const;

/** The names of the lists in sentences, with their articles. */
const listNames = {
  containers: ["a", "container"],
  initContainers: ["an", "init container"],
  volumes: ["an", "image volume"],
} as const;

/**
 * Returns the problem of an unknown container name, with the nearest known name; undefined for a
 * known name.
 */
export function wrongContainer(
  { list, name }: ContainerName,
  containers: readonly ContainerName[],
  suggests = true,
): string | undefined {
  const named = containers.find((container) => container.name === name);
  if (named?.list === list) return undefined;
  const meant =
    named === undefined
      ? didYouMean(suggests ? meantContainer({ list, name }, containers) : undefined)
      : `, but ${listNames[named.list].join(" ")}: ${keyOf(named)}`;
  return `names no ${listNames[list][1]} of this workload${meant}`;
}

/** Returns the nearest name. A name of the other list gets that list's prefix. */
function meantContainer({ list, name }: ContainerName, containers: readonly ContainerName[]): string | undefined {
  const near = nearestContainer(name, containers);
  return near?.list === list ? near.name : near && keyOf(near);
}

/** Returns the container with the nearest name, or undefined if no name is near. */
export function nearestContainer(name: string, containers: readonly ContainerName[]): ContainerName | undefined {
  const names = containers.map((container) => container.name);
  return containers[names.indexOf(nearest(name, names) ?? "")];
}

/** Returns the prefix of the keys of a container's settings. The name of a volume has it already. */
export function keyOf({ list, name }: ContainerName): string {
  if (list === "volumes") return name;
  return `${listWords[list]}.${name}`;
}

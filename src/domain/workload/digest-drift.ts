import type { RunningImages } from "./health.ts";
import type { LiveContainer } from "./workload.ts";
import type { ContainerState } from "./observed.ts";

/** The most digests of one container that a record keeps. */
const mostDigests = 5;

/** Returns whether the pods of a container may run different digests, and report them. */
export function canDrift({ list, image }: Pick<LiveContainer, "list" | "image">): boolean {
  return list !== "volumes" && !image.includes("@");
}

/**
 * Returns the digests that the pods of a container report, if there are several. A container with a
 * pinned image has none: its pods may only report the digests of platforms.
 */
export function severalDigests(
  { list, name, image }: Pick<LiveContainer, "list" | "name" | "image">,
  running: RunningImages,
): readonly string[] | undefined {
  const reported = running[name] ?? [];
  return !canDrift({ list, image }) || reported.length < 2 ? undefined : reported.slice(0, mostDigests);
}

/** Returns whether the pods of a workload report other digests than its record. */
export function driftsOtherwise(
  containers: readonly LiveContainer[],
  running: RunningImages,
  observed: readonly ContainerState[],
): boolean {
  return containers.some((container) => {
    const { digests } = observed.find(({ name }) => name === container.name) ?? {};
    return severalDigests(container, running)?.join() !== digests?.join();
  });
}

/**
 * Returns whether pods run different images of one tag. Pods may also report the digests of an index
 * and of its platforms, which are one image.
 *
 * Of an index, other digests alone prove nothing: they may be the platforms of an earlier index.
 */
export function isDrift(
  reported: readonly string[],
  { digest, platforms }: { readonly digest: string; readonly platforms: readonly string[] },
): boolean {
  const others = reported.filter((one) => one !== digest && !platforms.includes(one));
  return others.length > 0 && (others.length < reported.length || (others.length > 1 && platforms.length === 0));
}

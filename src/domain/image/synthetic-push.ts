import type { ImagePushed } from "./push.ts";
import type { EpochMs } from "../shared/time.ts";

/** The reserved registry of synthetic pushes. */
const registry = "doctor.lookout.dev";

/** Returns a push of an image that no workload has. */
export function syntheticPush(id: string, at: EpochMs): ImagePushed {
  return { name: "ImagePushed", id, registry, repository: "synthetic", source: "doctor", at };
}

/** Returns whether a push comes from {@link syntheticPush}. */
export function isSynthetic(push: Pick<ImagePushed, "registry" | "source">): boolean {
  return push.registry === registry && push.source === "doctor";
}

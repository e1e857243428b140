import type { ImagePushed } from "./push.ts";
import type { EpochMs } from "../shared/time.ts";

/** A registry that nobody has: a push to it tells only whether pushes arrive. */
const registry = "doctor.lookout.dev";

/** Makes a push that no workload has an image of. */
export function syntheticPush(id: string, at: EpochMs): ImagePushed {
  return { name: "ImagePushed", id, registry, repository: "synthetic", source: "doctor", at };
}

/** Says whether a push is one of {@link syntheticPush}. */
export function isSynthetic(push: Pick<ImagePushed, "registry" | "source">): boolean {
  return push.registry === registry && push.source === "doctor";
}

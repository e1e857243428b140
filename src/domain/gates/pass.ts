import type { Pass } from "../workload/control.ts";
import type { ImageChange } from "../workload/patch.ts";

/** Returns the pass by which a person lets an update with exactly these digests through a gate. Undefined without one. */
export function passOf(
  gate: string,
  changes: readonly Pick<ImageChange, "digest">[],
  passes: readonly Pass[] = [],
): Pass | undefined {
  return passes.find(
    ({ gates, digests }) =>
      (gates as readonly string[]).includes(gate) && changes.every(({ digest }) => digests.includes(digest)),
  );
}

import { setTimeout as pause } from "node:timers/promises";
import { limitedRegistry, type LimitedRegistryOptions } from "#app/shared/limited-registry";
import { type LimitedEntry, rulesOf } from "#domain/registry/rules";

/** Returns registries with the limits of `lookout.yaml`. All processes share these limits. */
export function openLimitedRegistry(
  entries: readonly LimitedEntry[],
  options: Pick<LimitedRegistryOptions, "registry" | "registryLimits" | "clock" | "publish">,
): ReturnType<typeof limitedRegistry> {
  return limitedRegistry({
    ...options,
    rulesOf: (host) => rulesOf(host, entries),
    pause: (ms, signal) => pause(ms, undefined, { signal }),
  });
}

import { setTimeout as pause } from "node:timers/promises";
import { registryGate, type RegistryGateOptions } from "#app/shared/limited-registry";
import { type LimitedEntry, rulesOf } from "#domain/registry/rules";

/** Returns the registries with the limits of `lookout.yaml`, which all processes share. */
export function openRegistryGate(
  entries: readonly LimitedEntry[],
  options: Pick<RegistryGateOptions, "registry" | "registryLimits" | "clock">,
): ReturnType<typeof registryGate> {
  return registryGate({
    ...options,
    rulesOf: (host) => rulesOf(host, entries),
    pause: (ms, signal) => pause(ms, undefined, { signal }),
  });
}

import type { Rules } from "#app/shared/ports";
import type { Configuration } from "#contracts/config/configuration";

/** Returns the owner's rules in a configuration, for both shells. */
export function rulesOf(configuration: Configuration): Rules {
  const { defaults, limits, freezes } = configuration;
  return {
    defaults,
    limits,
    plannedFreezes: freezes,
    registries: configuration,
    nodes: configuration,
    approvals: configuration,
    observe: configuration,
    definitions: configuration.definitions,
    tiers: configuration,
    checks: configuration.checks,
  };
}

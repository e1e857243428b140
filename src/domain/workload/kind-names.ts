import { readyShortNames } from "./custom/ready-rows.ts";
import { type BuiltInKind, builtInKinds, isWorkloadKind, kindSpecs, type WorkloadKind } from "./kinds.ts";

/**
 * Returns the kind that has this name, in upper or lower case: `Deployment`, `deployment`, `deploy`,
 * `rollout` or `rollout.argoproj.io`.
 */
export function kindNamed(name: string): WorkloadKind | undefined {
  const wanted = name.toLowerCase();
  const builtIn = builtInKinds.find((kind) => kindNames(kind).includes(wanted));
  if (builtIn !== undefined) return builtIn;
  if (Object.hasOwn(readyShortNames, wanted)) return readyShortNames[wanted as keyof typeof readyShortNames];
  return isWorkloadKind(wanted) ? wanted : undefined;
}

/** Returns the names of a kind in lower case, the full name first. */
export function kindNames(kind: BuiltInKind): readonly string[] {
  return [kind.toLowerCase(), ...kindSpecs[kind].shortNames];
}

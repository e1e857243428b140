import { isOut } from "../registry/outage.ts";
import { runningPauses } from "../registry/pauses.ts";
import { valueAt } from "../shared/json.ts";
import { printableText, shortened } from "../shared/shown-text.ts";
import type { EpochMs } from "../shared/time.ts";
import type { RegistryEntry } from "../workload/registry-rules.ts";
import type { Condition } from "./conditions.ts";
import { declaredHost } from "./declared-host.ts";
import type { DefinitionObject } from "./definition.ts";
import type { KnownRegistry } from "./known-registry.ts";

/**
 * Returns the conditions of an ImageRegistry. It is only a name for a registry that `lookout.yaml` allows: whoever may
 * write it could otherwise choose hosts, limits and credentials.
 */
export function registryConditions(
  { name, namespace, spec }: Pick<DefinitionObject, "name" | "namespace" | "spec">,
  entries: readonly RegistryEntry[],
  known: KnownRegistry,
  now: EpochMs,
): readonly Condition[] {
  const entry = entryOf({ name, spec }, entries);
  const secret = valueAt(spec, ["auth", "secretRef"]);
  const pauses = runningPauses(known.pauses, now);
  const { breaker } = known;
  const isOpen = breaker !== undefined && breaker.state !== "closed";
  return [
    readiness({ name, namespace, spec }, entry, known),
    secret === undefined
      ? unknown("AuthValid", "NotAsked", "only lookout registry check asks with the credential")
      : {
          ...{ type: "AuthValid", status: "False", reason: "SecretsAreNotRead" },
          message: "Lookout reads no Secrets: write the credential into the entry of registries in lookout.yaml",
        },
    unknown("AuthExpiringSoon", "NotKnown", "Lookout renews tokens before they expire"),
    {
      ...{ type: "RateLimited", status: pauses.length === 0 ? "False" : "True" },
      ...(pauses.length === 0
        ? { reason: "NoLimit", message: "the registry states no limit now" }
        : { reason: "RegistryThrottled", message: "the registry wants fewer requests for now" }),
    },
    isOpen
      ? { type: "CircuitOpen", status: "True", reason: "RegistryFails", message: breaker.lastFailure.detail }
      : { type: "CircuitOpen", status: "False", reason: "CircuitClosed", message: "the registry is asked as usual" },
  ];
}

/** Returns the entry of a registry: the one with its name, else with its host. */
export function entryOf(
  { name, spec }: Pick<DefinitionObject, "name" | "spec">,
  entries: readonly RegistryEntry[],
): RegistryEntry | undefined {
  const host = declaredHost(spec);
  return entries.find((entry) => entry.name === name) ?? entries.find((entry) => entry.host === host);
}

function readiness(
  { name, spec }: Pick<DefinitionObject, "name" | "namespace" | "spec">,
  entry: RegistryEntry | undefined,
  { outage }: KnownRegistry,
): Condition {
  const host = declaredHost(spec);
  const no = (reason: string, message: string): Condition => ({ type: "Ready", status: "False", reason, message });
  if (entry === undefined) {
    const what = host === undefined ? `the name ${name}` : `the host ${printableText(shortened(host, 100))}`;
    const next = "kubectl get imageregistries -A -o yaml | lookout registry import -f -";
    return no("NotInLookoutYaml", `lookout.yaml has no registry with ${what}. To make its entry: ${next}`);
  }
  if (host !== undefined && host !== entry.host)
    return no("OtherHost", `the entry ${entry.name} of lookout.yaml has the host ${entry.host}`);
  if (isOut(outage)) return no("RegistryUnreachable", outage.detail);
  return {
    ...{ type: "Ready", status: "True", reason: "InLookoutYaml" },
    message: `the entry ${entry.name} of lookout.yaml reaches ${entry.host}`,
  };
}

function unknown(type: string, reason: string, message: string): Condition {
  return { type, status: "Unknown", reason, message };
}

import type { EpochMs } from "../shared/time.ts";
import { type DefinitionKind, definitionPlaces } from "./definition.ts";

/** What keeps Lookout from reading the definitions of a kind, or from writing their status. */
export interface DefinitionTrouble {
  readonly kind: DefinitionKind;
  readonly reason: TroubleReason;
  readonly detail: string;
}

/** A trouble that the state of a cluster stores. It never stops the sync of workloads. */
export interface DefinitionProblem extends DefinitionTrouble {
  /** The first sync in a row with this trouble. */
  readonly since: EpochMs;
}

/** The reasons of a {@link DefinitionTrouble}. */
export const troubleReasons = [
  "list-denied",
  "list-failed",
  "too-many",
  "status-denied",
  "status-invalid",
  "status-failed",
] as const;
/** One of {@link troubleReasons}. */
export type TroubleReason = (typeof troubleReasons)[number];

/** Returns the troubles of a sync as problems. A problem of the sync before keeps its beginning. */
export function problemsSince(
  troubles: readonly DefinitionTrouble[],
  before: readonly DefinitionProblem[],
  now: EpochMs,
): readonly DefinitionProblem[] {
  return troubles.map((trouble) => {
    const known = before.find(({ kind, reason }) => kind === trouble.kind && reason === trouble.reason);
    return { ...trouble, since: known?.since ?? now };
  });
}

/** Returns what users do about a problem. */
export function remedyOfProblem({ kind, reason }: DefinitionTrouble, cluster: string): string {
  if (reason === "too-many")
    return `Delete objects of the kind ${kind}, or leave out their namespaces by namespaces of the cluster ${cluster} in lookout.yaml.`;
  if (reason === "list-failed")
    return `Until the list is read, the last read objects of the kind ${kind} count. If this stays, check the kind: kubectl get ${pathOf(kind)} -A`;
  if (reason === "status-failed")
    return "Lookout tries again at each sync. If this stays, check the admission webhooks: kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations";
  return `To define the kinds and give the rights: ${definitionCommands(cluster).join(" · Or, if lookout cluster add created the account: ")}`;
}

/** What users do when a cluster has definitions, and lookout.yaml does not let them count. */
export const useDefinitions = "set definitions: true in lookout.yaml (on AWS, deploy again)";

/** Returns a kind as kubectl names it: `imagepolicies.operator.technomad.dev`. */
function pathOf(kind: DefinitionKind): string {
  const { plural, group } = definitionPlaces[kind];
  return `${plural}.${group}`;
}

/**
 * Returns the commands that define the kinds of definitions, and give Lookout its rights on them: usually, and for an
 * account of `lookout cluster add`.
 */
export function definitionCommands(cluster: string): readonly [usual: string, ofAccount: string] {
  return [
    "lookout cluster manifests --definitions | kubectl apply -f -",
    `lookout cluster add ${cluster} --context CONTEXT --definitions`,
  ];
}

import type { DefinitionKind, DefinitionObject } from "#domain/definitions/definition";
import { type DefinitionTrouble, problemsSince, type TroubleReason } from "#domain/definitions/definition-problem";
import { deepEqual } from "#domain/shared/deep-equal";
import type { Cluster, StatusOutcome } from "#ports/cluster";
import type { ClusterState } from "#ports/cluster-states";
import type { Ports } from "../shared/ports.ts";
import type { SyncedDefinitions } from "./definitions.ts";

const reasonsOfStatus = {
  denied: "status-denied",
  invalid: "status-invalid",
  unreachable: "status-failed",
} as const satisfies Partial<Record<StatusOutcome["kind"], TroubleReason>>;

/** Writes statuses, until one of the same kind is denied or gets no answer. */
interface StatusWriter {
  /** Returns what is wrong. Undefined if nothing is, and if nothing is tried any more. */
  write(object: DefinitionObject, status: object): Promise<DefinitionTrouble | undefined>;
}

/** Returns a writer of the statuses of one sync. A failure never ends the sync. */
export function statusWriter(cluster: Cluster, signal: AbortSignal): StatusWriter {
  const ended = new Set<DefinitionKind>();
  return {
    async write({ kind, namespace, name, uid, resourceVersion }, status) {
      if (ended.has(kind)) return undefined;
      const outcome = await cluster
        .patchStatus({ kind, namespace, name, uid, resourceVersion, status }, signal)
        .catch(failed);
      if (outcome.kind === "written" || outcome.kind === "changed" || signal.aborted) return undefined;
      if (outcome.kind !== "invalid") ended.add(kind);
      return { kind, reason: reasonsOfStatus[outcome.kind], detail: outcome.detail };
    },
  };
}

function failed(error: unknown): StatusOutcome {
  // The message of an unknown error may contain secrets.
  const name = error instanceof Error ? error.name : "unknown error";
  return { kind: "unreachable", detail: `Lookout failed while it wrote a status (${name})` };
}

/** Returns the first trouble of each kind and reason. */
export function firstOfKinds(troubles: readonly (DefinitionTrouble | undefined)[]): readonly DefinitionTrouble[] {
  const all = troubles.filter((trouble) => trouble !== undefined);
  const firsts = Map.groupBy(all, ({ kind, reason }) => `${kind}/${reason}`);
  return [...firsts.values()].flatMap(([first]) => first ?? []);
}

/** Stores the problems of a sync, if they differ from the stored ones, and returns them, if any. */
export async function noteDefinitionProblems(
  state: ClusterState,
  { troubles }: Pick<SyncedDefinitions, "troubles">,
  unreported: readonly DefinitionTrouble[],
  { clusterStates, clock }: Pick<Ports, "clusterStates" | "clock">,
): Promise<Pick<ClusterState, "definitionProblems">> {
  const { definitionProblems: before = [], ...rest } = state;
  const problems = problemsSince([...troubles, ...unreported], before, clock.now());
  const noted = problems.length === 0 ? {} : { definitionProblems: problems };
  if (!deepEqual(problems, before)) await clusterStates.write({ ...rest, ...noted });
  return noted;
}

import { checkOf, hasEndedSince, isUnread, type RepositoryCheck, type SweepProblem } from "#domain/registry/checks";
import type { Outage } from "#domain/registry/outage";
import { pauseFor } from "#domain/registry/pauses";
import { rulesOf } from "#domain/registry/rules";
import { imageNameOf } from "#domain/image/reference";
import { earliest, type EpochMs } from "#domain/shared/time";
import { repositoryOf } from "#domain/update/decide/desired-image";
import type { SelectionFailure, WorkloadRecord } from "#domain/update/state/workload";
import type { WorkloadSettings } from "#domain/settings/settings";
import type { ClusterState } from "#ports/cluster-states";
import type { RepositoryName } from "#ports/registry";
import type { RepositoryState } from "#ports/repositories";
import { mapBounded } from "../shared/bounded.ts";
import type { Ports } from "../shared/ports.ts";
import { readRegistryStates } from "../shared/registry-states.ts";

/** The stored results of reads of repositories. */
export interface RegistryChecks {
  /** Returns the results of the sweeps of a repository. */
  stateOf(name: RepositoryName): RepositoryState | undefined;
  /** Returns the last outage of a registry. */
  outageOf(name: Pick<RepositoryName, "registry">): Outage | undefined;
  /** Returns the end of the pause of a repository or its registry, or undefined without a pause. */
  pausedUntil(name: RepositoryName): EpochMs | undefined;
  /** Returns the host of the registry, which an alias may name otherwise. */
  hostOf(name: Pick<RepositoryName, "registry">): string;
}

/** Returns the knowledge about a registry that was never asked. */
const nothing = (): undefined => undefined;
/** Returns the host in a repository's name. */
const ownHost: RegistryChecks["hostOf"] = ({ registry }) => registry;

/** The checks before any read of a repository. */
export const noChecks: RegistryChecks = {
  stateOf: nothing,
  outageOf: nothing,
  pausedUntil: nothing,
  hostOf: ownHost,
};

const readsAtOnce = 10;

/** A longer list of repositories is read as a whole. */
const mostSingleReads = 5;

/** Reads the results for the repositories of some records. */
export async function readChecks(records: readonly WorkloadRecord[], ports: Ports): Promise<RegistryChecks> {
  return readChecksOf(
    records.flatMap(({ observed }) =>
      observed.containers.flatMap((container) => {
        const { registry, repository } = repositoryOf(container) ?? {};
        return registry === undefined || repository === undefined ? [] : [{ registry, repository }];
      }),
    ),
    ports,
  );
}

/** Reads the results for repositories. */
export async function readChecksOf(asked: readonly RepositoryName[], ports: Ports): Promise<RegistryChecks> {
  const { repositories, clock } = ports;
  const now = clock.now();
  const names = new Map(asked.map((name) => [imageNameOf(name), name]));
  const [states, registries] = await Promise.all([
    names.size > mostSingleReads
      ? repositories.list()
      : mapBounded([...names.values()], readsAtOnce, (name) => repositories.read(name)),
    readRegistryStates([...names.values()], ports),
  ]);
  const stateByName = new Map(states.flatMap((state) => (state === undefined ? [] : [[imageNameOf(state), state]])));
  return {
    stateOf: ({ registry, repository }) => stateByName.get(imageNameOf({ registry, repository })),
    outageOf: ({ registry }) => registries.get(registry)?.outage,
    pausedUntil: ({ registry, repository }) => pauseFor(registries.get(registry)?.pauses, repository, now)?.until,
    hostOf: ({ registry }) => rulesOf(registry, ports.rules.registries.registries).host,
  };
}

/** A container whose repository was not read at the last check. */
export interface UncheckedContainer extends RepositoryName {
  readonly container: string;
  readonly imageName: string;
  readonly host: string;
  readonly checkedAt?: EpochMs;
  readonly problem: Omit<SweepProblem, "at">;
}

/** What was checked of a workload. */
export interface WorkloadCheck {
  /**
   * The oldest of the cluster's last sync and the last checks of the repositories. Undefined if one
   * of them is missing.
   */
  readonly checkedAt: EpochMs | undefined;
  readonly unchecked: readonly UncheckedContainer[];
  /** The failures of the selection, without those that ended with an outage. */
  readonly selectionFailures: readonly SelectionFailure[];
}

/** Returns what was checked of a workload. */
export function workloadCheck(
  record: WorkloadRecord,
  settings: WorkloadSettings,
  state: ClusterState | undefined,
  checks: RegistryChecks,
): WorkloadCheck {
  const evaluatedAt = record.needsEvaluation === true ? undefined : record.changedAt;
  const tracked = record.observed.containers.flatMap((container) => {
    const name = repositoryOf(container);
    if (settings.containers[container.name] === undefined || name === undefined) return [];
    const { registry, repository } = name;
    const outage = checks.outageOf(name);
    const failure = record.selectionFailures.find((one) => one.container === container.name && isUnread(one.reason));
    const hasEnded = failure !== undefined && hasEndedSince(outage, failure.reason, record.changedAt);
    const swept = checkOf(checks.stateOf(name), outage, failure === undefined ? evaluatedAt : undefined);
    const check = failure === undefined || hasEnded ? swept : withFailure(swept, failure, record.changedAt);
    return [{ container: container.name, registry, repository, check, ended: hasEnded ? failure : undefined }];
  });
  const times = [state?.lastSyncAt, ...tracked.map(({ check }) => instantOf(check))];
  const known = times.filter((at) => at !== undefined);
  const ended = new Set(tracked.map((one) => one.ended));
  return {
    checkedAt: known.length === times.length ? earliest(known) : undefined,
    unchecked: tracked.flatMap(({ container, registry, repository, check }) => {
      if (check.kind !== "failed") return [];
      const { kind: _, problem, ...rest } = check;
      const imageName = imageNameOf({ registry, repository });
      const pausedUntil =
        problem.reason === "registry-throttled" ? checks.pausedUntil({ registry, repository }) : undefined;
      const pause = pausedUntil === undefined ? {} : { until: pausedUntil };
      const about = { container, registry, repository, imageName, host: checks.hostOf({ registry }) };
      return [{ ...about, ...rest, problem: { ...problem, ...pause } }];
    }),
    selectionFailures: record.selectionFailures.filter((failure) => !ended.has(failure)),
  };
}

/** Returns the check after an evaluation that could not read the repository. */
function withFailure(
  check: RepositoryCheck,
  { reason, detail = "" }: SelectionFailure,
  since: EpochMs,
): RepositoryCheck {
  if (check.kind === "failed") return check;
  const problem = { reason, detail, since };
  return check.kind === "checked" ? { kind: "failed", checkedAt: check.at, problem } : { kind: "failed", problem };
}

function instantOf(check: RepositoryCheck): EpochMs | undefined {
  if (check.kind === "checked") return check.at;
  return check.kind === "failed" ? check.checkedAt : undefined;
}

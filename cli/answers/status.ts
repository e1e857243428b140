import type { ReasonView } from "#contracts/api/schema";
import type { WorkloadsView, WorkloadState, WorkloadView } from "#contracts/api/workloads";
import { type Reason, reasons as known, type RetryClass, retryOf } from "#domain/shared/reasons";

/**
 * Returns whether something failed, was rolled back or has a problem. Updates that are in progress or
 * held for a planned reason are no failure: a window, a vote, a freeze.
 *
 * @param isWhole - whether the view has all workloads, so that clusters without workloads count too.
 */
export function hasFailed({ workloads, clusters, unreadable = [] }: WorkloadsView, isWhole: boolean): boolean {
  const ofView = new Set(workloads.map(({ workload }) => workload.split("/", 1).join()));
  const isAway = clusters.some(({ name, problem }) => problem !== undefined && (isWhole || ofView.has(name)));
  return unreadable.length > 0 || isAway || workloads.some(failed);
}

function failed(workload: WorkloadView): boolean {
  const fails = failures[workload.state];
  return typeof fails === "boolean" ? fails : fails(workload);
}

const failures: Readonly<Record<WorkloadState, boolean | ((workload: WorkloadView) => boolean)>> = {
  "up-to-date": false,
  "newer-skipped": false,
  held: isStuck,
  released: isStuck,
  patching: isStuck,
  "rolling-out": isStuck,
  "rolling-back": true,
  suspended: false,
  reverted: true,
  kept: false,
  // A person rejected the version.
  blocked: ({ blocked }) => blocked.some(({ why }) => why.reason !== "digest-rejected"),
  problem: true,
  removed: false,
};

/** The retries of reasons that nobody planned. */
const unplanned: ReadonlySet<RetryClass> = new Set(["cluster", "pause", "registry", "registry-outage", "nodes"]);

function isStuck({ reasons, problems }: WorkloadView): boolean {
  return problems.some(({ closes }) => closes) || reasons.some(isUnplanned);
}

/** A newer server may send a reason that this version does not know. */
function isUnplanned({ reason }: Pick<ReasonView, "reason">): boolean {
  const retry = isKnown(reason) ? retryOf(reason) : undefined;
  return retry !== undefined && unplanned.has(retry);
}

function isKnown(reason: string): reason is Reason {
  return reason in known;
}

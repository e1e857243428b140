import { isKeptBack, lookAgainAfter } from "#domain/update/next-commands";
import type { Step } from "#domain/update/record";
import { endWithoutObject } from "#domain/update/ending";
import type { Reason } from "#domain/shared/reasons";
import { isUnsent, planBack } from "#domain/update/rollout";
import { type DurationMs, seconds } from "#domain/shared/time";
import type { ActiveUpdate, WorkloadRecord } from "#domain/update/states";
import type { ClosedGate } from "#domain/gates/closed-gate";
import { judgeRollback, judgeRollout, type Verdict } from "#domain/update/verification";
import type { CheckRollout } from "#domain/update/commands";
import type { Cluster } from "#ports/cluster";
import { patchByRounds } from "../shared/patching.ts";
import type { Ports } from "../shared/ports.ts";
import { loadForCommand, commit, sendAgain, sendNextCommands, settingsOf, stepOf } from "../shared/records.ts";
import { type Left, leaveOrWait } from "../shared/unknown-cluster.ts";

type VerifyPorts = Pick<Ports, "store" | "patterns" | "queues" | "clock" | "limits" | "clusters" | "clusterStates">;

/** What became of a look at a rollout. */
export type CheckOutcome = Left | { readonly kind: "nothing-to-check" | "look-again" };

/**
 * Looks at the pods of an update that was patched: running, failed, or too late; and rolls a failed one back.
 *
 * A cluster that is away is asked again later: nothing is decided without it. A hint looks once and starts no looks of its own.
 */
export async function checkRollout(work: CheckRollout, ports: VerifyPorts, signal: AbortSignal): Promise<CheckOutcome> {
  const standing = await loadForCommand(work, ports);
  if (standing.kind === "stale") return { kind: "stale" };
  const { record } = standing;
  const { active } = record;
  if (standing.kind === "complete" && !(active !== undefined && isToPutBack(active))) {
    await sendNextCommands(record, ports);
    return { kind: "completed" };
  }
  const cluster = ports.clusters.cluster(record.workload.cluster);
  if (active === undefined || (isUnsent(active) && !isKeptBack(record))) return { kind: "nothing-to-check" };
  if (cluster === undefined) return leaveOrWait(work, record, ports);
  const look = { record, active, cluster, step: stepOf(work, ports), signal };
  const outcome = await lookOnce(look, ports);
  if (outcome.kind !== "look-again") return outcome;
  // A look that a hint asked for stands beside the ordinary ones, which go on by themselves where nothing keeps them back.
  if (work.hint === undefined || isKeptBack(record)) await sendAgain(work, record, outcome.pause, ports);
  return { kind: "look-again" };
}

interface Look {
  readonly record: WorkloadRecord;
  readonly active: ActiveUpdate;
  readonly cluster: Cluster;
  readonly step: Step;
  readonly signal: AbortSignal;
}

type LookOutcome =
  | { readonly kind: "moved"; readonly version: number }
  | { readonly kind: "stale" }
  | { readonly kind: "look-again"; readonly pause: DurationMs };

function isToPutBack({ status, backAt }: ActiveUpdate): boolean {
  return status === "rolling-back" && backAt === undefined;
}

async function lookOnce(look: Look, ports: VerifyPorts): Promise<LookOutcome> {
  // It was kept back before it was patched: what brings it out is sent anew.
  if (isUnsent(look.active)) return { kind: "look-again", pause: seconds(0) };
  return isToPutBack(look.active) ? putBack(look, ports) : judge(look, ports);
}

/** How long a cluster that is away, or a patch whose outcome is unknown, is left alone. */
const awayPause = seconds(15);

async function judge({ record, active, cluster, step, signal }: Look, ports: VerifyPorts): Promise<LookOutcome> {
  const from = active.backAt ?? active.patchedAt ?? step.now;
  const health = await cluster.health(record.workload, from, signal);
  if (health.kind === "gone")
    return settle(endWithoutObject(record, active, "superseded", { reason: "workload-gone" }, step), ports);
  if (health.kind === "unreachable" || health.kind === "denied") return { kind: "look-again", pause: awayPause };
  const inputs = { health, settings: await settingsOf(record, ports), limits: ports.limits };
  const verdict =
    active.status === "rolling-back"
      ? judgeRollback(record, active, inputs, step)
      : judgeRollout(record, active, inputs, step);
  return follow(verdict, { record, active, cluster, step, signal }, ports);
}

async function follow(verdict: Verdict, look: Look, ports: VerifyPorts): Promise<LookOutcome> {
  const { record, active, cluster, step, signal } = look;
  const pause = lookAgainAfter(active.backAt ?? active.patchedAt ?? step.now, step.now);
  switch (verdict.kind) {
    case "move":
      return settle(verdict.record, ports);
    case "look-again":
      return { kind: "look-again", pause };
    case "free-failed-pods": {
      const freed = await cluster.deleteFailedPods(record.workload, verdict.images, signal);
      return freed.kind === "denied" ? follow(verdict.denied, look, ports) : { kind: "look-again", pause };
    }
  }
}

async function putBack({ record, active, cluster, step, signal }: Look, ports: VerifyPorts): Promise<LookOutcome> {
  const installation = await ports.store.installation();
  const outcome = await patchByRounds(
    record,
    {
      cluster,
      step,
      signal,
      plan: async (current, live) =>
        planBack({
          record: current,
          active,
          live,
          installation,
          settings: await settingsOf(current, ports),
          step: { ...step, now: ports.clock.now() },
        }),
      // What was approved going forward must be able to go back: no gate holds a rollback.
      closedNow: () => Promise.resolve([]),
      stopped: (current, waits) => stopped(current, active, waits, step),
    },
    ports,
  );
  switch (outcome.kind) {
    case "moved":
      return { kind: "moved", version: outcome.record.version };
    case "stale":
      return { kind: "stale" };
    case "look-again":
      return { kind: "look-again", pause: awayPause };
  }
}

function stopped(
  record: WorkloadRecord,
  active: ActiveUpdate,
  waits: readonly ClosedGate[],
  step: Step,
): WorkloadRecord | undefined {
  const [why] = waits;
  if (why === undefined) return endWithoutObject(record, active, "superseded", { reason: "workload-gone" }, step);
  if (!isFinal(why.reason)) return undefined;
  const detail = why.detail === undefined ? {} : { detail: why.detail };
  return endWithoutObject(record, active, "rollback-failed", { reason: why.reason, ...detail }, step);
}

/** The same patch would be refused again, whenever it is sent. */
function isFinal(reason: Reason): boolean {
  return reason === "denied-by-admission" || reason === "patch-invalid" || reason === "other-repository";
}

async function settle(next: WorkloadRecord, ports: VerifyPorts): Promise<LookOutcome> {
  return (await commit(next, ports)) ? { kind: "moved", version: next.version } : { kind: "stale" };
}

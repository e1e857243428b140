import { askGates, closedGates } from "#domain/gates/index";
import { goingOn, type Step } from "#domain/update/record";
import { endWithoutObject, holdAgain } from "#domain/update/ending";
import { isUnsent, planForward } from "#domain/update/rollout";
import { plus, seconds } from "#domain/shared/time";
import type { ActiveUpdate, WorkloadRecord } from "#domain/update/states";
import type { ClosedGate } from "#domain/gates/closed-gate";
import type { RollOut } from "#domain/update/commands";
import type { WorkloadRead } from "#ports/cluster";
import { allOf } from "../shared/bounded.ts";
import { readGateFacts } from "../shared/gate-facts.ts";
import { patchByRounds, type Patching, type PatchingOutcome } from "../shared/patching.ts";
import type { Ports } from "../shared/ports.ts";
import { loadForCommand, sendAgain, sendNextCommands, settingsOf, type Standing, stepOf } from "../shared/records.ts";
import { type Left, leaveOrWait } from "../shared/unknown-cluster.ts";

type RolloutPorts = Pick<
  Ports,
  | "store"
  | "patterns"
  | "quarantine"
  | "freezes"
  | "plannedFreezes"
  | "queues"
  | "clock"
  | "limits"
  | "clusters"
  | "clusterStates"
>;

/** What became of a released update. */
export type RollOutOutcome = Left | { readonly kind: "nothing-released" | "look-again" };

/**
 * Patches the workload of a released update, once: the intent is stored, the gates are read again, the patch is guarded by one read.
 *
 * A gate that closed, or a cluster that is away, puts the update back to held. A patch whose outcome is unknown is looked for on the
 * object when the work comes again.
 */
export async function rollOut(work: RollOut, ports: RolloutPorts, signal: AbortSignal): Promise<RollOutOutcome> {
  // Begun before it is known to be needed: it nearly always is, and takes as long as all that is read before it.
  const reading = ports.clusters.cluster(work.workload.cluster)?.read(work.workload, signal);
  // Its failure concerns only whoever needs it.
  const [outcome] = await allOf([rollOutFrom(reading, work, ports, signal), reading?.catch(() => undefined)]);
  return outcome;
}

async function rollOutFrom(
  reading: Promise<WorkloadRead> | undefined,
  work: RollOut,
  ports: RolloutPorts,
  signal: AbortSignal,
): Promise<RollOutOutcome> {
  const standing = await loadForCommand(work, ports);
  if (standing.kind === "stale") return { kind: "stale" };
  const { active } = standing.record;
  if (active !== undefined && isUnsent(active)) {
    const record = await takenOver(standing, active, work, ports);
    return record === undefined ? { kind: "stale" } : bringOut(work, record, active, reading, ports, signal);
  }
  if (standing.kind === "decide") return { kind: "nothing-released" };
  await sendNextCommands(standing.record, ports);
  return { kind: "completed" };
}

/** What another delivery of this work began is gone on with by one of the two: the other can neither send it nor hold it any more. */
async function takenOver(
  { kind, record }: Exclude<Standing, { readonly kind: "stale" }>,
  active: ActiveUpdate,
  work: RollOut,
  ports: RolloutPorts,
): Promise<WorkloadRecord | undefined> {
  if (kind === "decide") return record;
  const mine = goingOn(record, active, stepOf(work, ports));
  return (await ports.store.write(mine)).kind === "written" ? mine : undefined;
}

async function bringOut(
  work: RollOut,
  record: WorkloadRecord,
  active: ActiveUpdate,
  reading: Promise<WorkloadRead> | undefined,
  ports: RolloutPorts,
  signal: AbortSignal,
): Promise<RollOutOutcome> {
  const step = stepOf(work, ports);
  const cluster = ports.clusters.cluster(record.workload.cluster);
  if (cluster === undefined) return leaveOrWait(work, record, ports);
  const outcome = await patchForward(record, active, { cluster, reading, step, signal }, ports);
  if (outcome.kind === "moved") return { kind: "moved", version: outcome.record.version };
  if (outcome.kind === "look-again") await sendAgain(work, outcome.record, lookAgainPause, ports);
  return { kind: outcome.kind };
}

/** How long a patch whose outcome is unknown is left alone before the object is asked. */
const lookAgainPause = seconds(15);

/** A patch that was sent has landed or failed by then: a run lasts a minute at the most, and its last call ten seconds more. */
const patchIsOver = seconds(75);

async function patchForward(
  record: WorkloadRecord,
  active: ActiveUpdate,
  way: Pick<Patching, "cluster" | "reading" | "step" | "signal">,
  ports: RolloutPorts,
): Promise<PatchingOutcome> {
  const { step } = way;
  const installation = await ports.store.installation();
  const intended = active.status === "rolling-out";
  const maybeSent = intended && step.now < plus(record.changedAt, patchIsOver);
  const activeOf = (current: WorkloadRecord): ActiveUpdate => current.active ?? active;
  return patchByRounds(
    record,
    {
      ...way,
      plan: async (current, live) =>
        planForward({
          record: current,
          active: activeOf(current),
          live,
          installation,
          settings: await settingsOf(current, ports),
          step: { ...step, now: ports.clock.now() },
        }),
      closedNow: (current) => closedFor(current, activeOf(current), ports),
      stopped: (current, waits, asked) =>
        stopped(current, activeOf(current), waits, maybeSent || (intended && !asked), step),
    },
    ports,
  );
}

/** What an earlier delivery may have sent is not held again before the object was asked, nor just after it was sent: it may still land. */
function stopped(
  record: WorkloadRecord,
  active: ActiveUpdate,
  waits: readonly ClosedGate[],
  maybeSent: boolean,
  step: Step,
): WorkloadRecord | undefined {
  if (waits.length === 0) return endWithoutObject(record, active, "superseded", { reason: "workload-gone" }, step);
  return maybeSent ? undefined : holdAgain(record, active, waits, step);
}

async function closedFor(
  record: WorkloadRecord,
  active: ActiveUpdate,
  ports: RolloutPorts,
): Promise<readonly ClosedGate[]> {
  const settings = await settingsOf(record, ports);
  const digests = active.changes.map(({ digest }) => digest);
  const facts = await readGateFacts(digests, ports);
  const now = ports.clock.now();
  return closedGates(askGates({ now, record, settings, seq: active.seq, facts }));
}

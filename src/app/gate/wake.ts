import { correlationOf } from "#domain/update/correlation";
import type { ImagePushed } from "#domain/image/push";
import { heldMeasurements } from "#domain/update/metrics";
import { setBack } from "#domain/update/dead-letter-backoff";
import { type EpochMs, seconds } from "#domain/shared/time";
import type { WorkloadRecord } from "#domain/update/states";
import { digestsOf, lookAtGates } from "#domain/update/proposal";
import type { EvaluateWorkload, VersionedCommand, Wake } from "#domain/update/commands";
import { parseWorkloadKey, workloadKey, type WorkloadName } from "#domain/workload/workload";
import type { Ports } from "../shared/ports.ts";
import { allOf } from "../shared/bounded.ts";
import { handOnSlots } from "../shared/slots.ts";
import { readReleaseFacts } from "../shared/gate-facts.ts";
import { measure } from "../shared/measure.ts";
import {
  loadForCommand,
  changedByOthers,
  commit,
  evaluateLater,
  maximumTries,
  sendAgain,
  sendNextCommands,
  sendOverdue,
  settingsOf,
  stepOf,
} from "../shared/records.ts";
import { leave, type Left } from "../shared/unknown-cluster.ts";

type GatePorts = Pick<
  Ports,
  | "store"
  | "patterns"
  | "quarantine"
  | "freezes"
  | "plannedFreezes"
  | "clusters"
  | "clusterStates"
  | "queues"
  | "clock"
  | "limits"
  | "metrics"
>;

/** What became of a look at a held update. */
export type WakeOutcome = Left | { readonly kind: "nothing-held" | "still-held" };

/** Looks at the gates of a held update again: released when all are open. A timer that came early is armed anew. */
export async function wake(work: Wake, ports: GatePorts): Promise<WakeOutcome> {
  for (let tries = 0; tries < maximumTries; tries += 1) {
    const standing = await loadForCommand(work, ports);
    if (standing.kind === "stale") return { kind: "stale" };
    if (standing.kind === "complete") {
      await sendNextCommands(standing.record, ports);
      return { kind: "completed" };
    }
    const outcome = await lookOnce(work, standing.record, ports);
    if (outcome !== "conflict") return outcome;
  }
  throw changedByOthers(workloadKey(work.workload), "woken");
}

async function lookOnce(work: Wake, record: WorkloadRecord, ports: GatePorts): Promise<WakeOutcome | "conflict"> {
  if (record.pending === undefined) return { kind: "nothing-held" };
  const isKnown = ports.clusters.names().includes(record.workload.cluster);
  const left = isKnown ? undefined : await leave(work, record, ports);
  if (left !== undefined) return left;
  const settings = await settingsOf(record, ports);
  const facts = await readReleaseFacts(record, digestsOf(record, []), ports);
  const next = lookAtGates(record, { settings, facts }, stepOf(work, ports));
  if (next !== undefined) return (await commit(next, ports)) ? { kind: "moved", version: next.version } : "conflict";
  if (work.hint === undefined) await sendAgain(work, record, seconds(0), ports);
  measure(heldMeasurements(record, ports.clock.now()), ports);
  return { kind: "still-held" };
}

/** How many records one run of the reaper looks at; the rest wait for the next run. */
const recordsPerRun = 500;

/**
 * Sends again what nobody works on: for every record whose `dueAt` is past, the work that its state calls for. `dueAt` has patience in it
 * already: what is past it is in nobody's hands. Free slots that somebody waits for are handed on as well.
 *
 * @param before - what is due by then counts as overdue; now, unless a process that just started takes over all that is open.
 * @param limit - how many records are looked at in one run.
 * @returns how many records were overdue.
 */
export async function reap(
  ports: GatePorts,
  before: EpochMs = ports.clock.now(),
  limit = recordsPerRun,
): Promise<{ readonly kind: "reaped"; readonly records: number }> {
  // Who holds a slot may be listed before its time, and must keep nobody else from being looked at.
  const early = ports.clusters.names().length * ports.limits.maxConcurrentRollouts;
  const records = await ports.store.readMany(await ports.store.due(before, limit + early));
  const overdue = records.filter(({ dueAt }) => dueAt !== undefined && dueAt <= before);
  for (const record of overdue) await sendOverdue(record, before, ports);
  await handOnAllSlots(`reaper:${before}`, ports);
  if (overdue.length > 0) ports.metrics.add("UpdatesOverdue", overdue.length);
  return { kind: "reaped", records: overdue.length };
}

/** What is wrong with one cluster's waiters keeps no slot from those of another. */
async function handOnAllSlots(by: string, ports: GatePorts): Promise<void> {
  const most = ports.limits.maxConcurrentRollouts;
  await allOf(ports.clusters.names().map((name) => handOnSlots(name, by, most, ports)));
}

/** What became of work that its queue gave up. */
export type GivenUpOutcome =
  { readonly kind: "stale" | "nothing-open" | "asked-again" } | { readonly kind: "held"; readonly version: number };

/**
 * Looks after what a queue gave up: the update that a piece of work was about is held for an hour, doubling to six; a look or a push that
 * could not be followed is looked at again, workload by workload, a minute later.
 *
 * @param detail - what failed, in one line without secrets.
 */
export async function giveUp(
  given: VersionedCommand | EvaluateWorkload | ImagePushed,
  detail: string,
  ports: GatePorts,
): Promise<GivenUpOutcome> {
  if ("name" in given) {
    await evaluateLater(await subscribersOf(given, ports), { id: given.id, correlationId: given.id }, ports);
    return { kind: "asked-again" };
  }
  if (given.command === "EvaluateWorkload") {
    await evaluateLater([given.workload], { id: given.id, ...correlationOf(given) }, ports);
    return { kind: "asked-again" };
  }
  const standing = await loadForCommand(given, ports);
  if (standing.kind === "stale") return { kind: "stale" };
  const cause = `GivenUp:${given.command}:${given.version}`;
  const next = setBack(standing.record, detail, { cause, now: ports.clock.now() });
  if (next === undefined) return { kind: "nothing-open" };
  return (await commit(next, ports)) ? { kind: "held", version: next.version } : { kind: "stale" };
}

async function subscribersOf(push: ImagePushed, { store }: GatePorts): Promise<readonly WorkloadName[]> {
  const names: WorkloadName[] = [];
  for (let after = push.after; ;) {
    const page = await store.subscribers(push, 100, after);
    names.push(...page.workloads.map(parseWorkloadKey).flatMap((parsed) => (parsed.ok ? [parsed.value] : [])));
    if (page.next === undefined) return names;
    after = page.next;
  }
}

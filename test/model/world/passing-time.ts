import { openCommands } from "#domain/update/effects/commands";
import type { WorkloadRecord } from "#domain/update/state/workload";
import type { Installation } from "./installation.ts";
import type { Fate } from "#test/model/faults/fates";
import type { Member } from "#test/model/actors/members";
import { endFreeze } from "#test/model/actors/people";
import type { Call, Run } from "./runs.ts";
import { deliver, handOn, meetFate, reapNow, sweepNow } from "./steps.ts";
import { checkRest } from "#test/model/judge/rest";
import { slotIsIdle } from "#test/model/judge/slots";

const hour = 3_600_000;
/**
 * The time until a state of rest. No wait is longer than six hours, and one more check follows. The sixth
 * try of a limited update ends before.
 */
export const restFor = 8.5 * hour;
const stepsAtMost = 20_000;
const minuteMs = 60_000;
/** The maximum time of a free slot while a workload waits for a slot, without random faults. */
const slotIdleForMs = 5 * minuteMs;

/** The outcome of each call in a run without random faults. */
export type Fates = (call: Call) => Fate;

const withoutFault: Fates = () => ({ kind: "answered" });

/** Finishes all work of this instant, one run after the other. By default, calls have no faults. */
export async function settleAll(installation: Installation, fates = withoutFault): Promise<void> {
  const { runs, mailbox, stored, witness } = installation;
  for (let steps = 0; steps < stepsAtMost; steps += 1) {
    const [call] = runs.waiting(installation.now);
    const [message] = mailbox.ready(installation.now);
    if (call !== undefined) await meetFate(call, installation, fates(call));
    else if (message !== undefined) await deliver(message, installation);
    else if (stored.hasChanges()) await handOn(installation);
    else return;
  }
  witness.complain("L5", `the installation does not come to rest at ${new Date(installation.now).toISOString()}`);
}

/**
 * Advances the time by hours with the schedules, without faults and people. Then checks the rules
 * of rest.
 */
export async function comeToRest(
  members: readonly Member[],
  installation: Installation,
  sync: () => void,
): Promise<void> {
  const { runs, witness, appointments, now } = installation;
  for (const run of runs.alive()) run.frozenUntil = 0;
  for (const appointment of appointments.splice(0)) await appointment.keep();
  const look = async (): Promise<void> => {
    sync();
    await sweepNow(installation);
  };
  // Sweeps come each hour. A digest that a sweep sees for the first time is old enough for the next one.
  // A skip of two hours hides a digest from earlier sweeps.
  const hourly = installation.peopleControl ? [1, 2, 3, 4] : [1, 2];
  const later = hourly.map((hours) => now + hours * (hour + 1_000));
  const end = now + restFor + tiersRestFor(installation);
  const looks = [now, now + 60_000, ...later].map((at) => ({ at, look }));
  const all = [...looks, ...syncsForDefinitions(installation, end, sync)];
  await letPass(
    end,
    installation,
    all.toSorted((one, other) => one.at - other.at),
  );
  if (witness.broken.length === 0) await checkRest(members, installation);
  if (witness.broken.length === 0) await thaw(installation);
}

/** Returns the syncs that the tiers and statuses of definitions need besides: a sync starts each minute. */
function syncsForDefinitions({ definitions, now }: Installation, end: number, sync: () => void) {
  if (!definitions) return [];
  const after = [2, 3, 5, 10, 20, 40].map((minutes) => now + minutes * minuteMs);
  const before = [40, 20, 10, 3, 2, 1].map((minutes) => end - minutes * minuteMs);
  return [...after, ...before].map((at) => ({ at, look: sync }));
}

/** Returns the time that later tiers need besides: each begins after the last try and the soak of the one before. */
function tiersRestFor({ tiers, definitions }: Installation): number {
  if (definitions) return 3 * hour;
  return tiers.tiers.reduce((sum, { soak }) => sum + soak + hour, 0);
}

/** Lifts all freezes, and checks half a minute later that no update waits for a freeze. */
async function thaw(installation: Installation): Promise<void> {
  const { witness, stored } = installation;
  for (const { freeze } of [...witness.frozen.values()])
    await answerCalls(await endFreeze(freeze, installation), installation, withoutFault);
  await letPass(installation.now + minuteMs / 2, installation, []);
  for (const { workload, pending } of stored.records().values())
    if (pending?.waits.some(({ reason }) => reason === "frozen"))
      witness.complain("L1", `update ${pending.seq} of ${workload.name} still waits for a freeze that was lifted`);
}

/**
 * Advances the time to an instant, with scheduled syncs, and with the reaper for overdue records.
 */
export async function letPass(
  end: number,
  installation: Installation,
  looks: readonly { readonly at: number; look(): unknown }[],
  fates = withoutFault,
): Promise<void> {
  const ahead = [...looks];
  let takenAt = installation.now;
  for (let rounds = 0; rounds < 3_000 && installation.witness.broken.length === 0; rounds += 1) {
    while (ahead[0] !== undefined && ahead[0].at <= installation.now) await ahead.shift()?.look();
    await settleAll(installation, fates);
    if (!slotIsIdle(installation)) takenAt = installation.now;
    else if (installation.now > takenAt + slotIdleForMs)
      installation.witness.complain(
        "L6",
        `a workload waits for a slot, although a slot is free since ${new Date(takenAt).toISOString()}`,
      );
    const next = nextInstant(installation, ahead[0]?.at);
    if (next === undefined || next > end) return;
    installation.now = next;
    const minute = slotIsIdle(installation) && next % minuteMs === 0;
    if (minute || overdue(installation).length > 0) await reapAndCheck(installation, fates);
  }
}

/**
 * Returns the time of the next message, schedule or reaper run. The reaper runs a minute after a
 * record is due, and each minute while a free slot has a waiting workload.
 */
function nextInstant(installation: Installation, syncAt: number | undefined): number | undefined {
  const { mailbox, stored, now } = installation;
  const due = [...stored.records().values()].flatMap(({ effects: { dueAt } }) =>
    dueAt === undefined ? [] : [dueAt + 60_000],
  );
  const minute = slotIsIdle(installation) ? (Math.floor(now / minuteMs) + 1) * minuteMs : undefined;
  const instants = [mailbox.nextAt(), syncAt, minute, ...due].filter((at) => at !== undefined);
  return instants.length === 0 ? undefined : Math.max(now + 1, Math.min(...instants));
}

function overdue({ stored, now }: Installation): readonly WorkloadRecord[] {
  return [...stored.records().values()].filter(({ effects: { dueAt } }) => dueAt !== undefined && dueAt < now);
}

/** Answers the calls of one run until its end. */
export async function answerCalls(run: Run, installation: Installation, fates: Fates): Promise<void> {
  const { runs } = installation;
  for (let call = runs.callsOf(run)[0]; call !== undefined; call = runs.callsOf(run)[0])
    await meetFate(call, installation, fates(call));
}

async function reapAndCheck(installation: Installation, fates: Fates): Promise<void> {
  const { mailbox, witness } = installation;
  const found = overdue(installation);
  const run = await reapNow(installation);
  await answerCalls(run, installation, fates);
  // The next run sends what a killed or failed run did not send.
  if (run.dead || run.failed) return;
  const bodies = new Set(mailbox.all.map(({ body }) => body));
  for (const record of found)
    if (!openCommands(record).some(({ command }) => bodies.has(JSON.stringify(command))))
      witness.complain("L4", `${record.workload.name} is overdue, and no message for it exists`);
}

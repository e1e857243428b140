import { openCommands } from "#domain/update/next-commands";
import type { WorkloadRecord } from "#domain/update/states";
import type { Installation } from "./installation.ts";
import type { Fate } from "#test/model/faults/fates";
import type { Member } from "#test/model/actors/members";
import { endFreeze } from "#test/model/actors/people";
import type { Call, Run } from "./runs.ts";
import { deliver, handOn, meetFate, reapNow, sweepNow } from "./steps.ts";
import { checkRest } from "#test/model/judge/rest";
import { slotIsIdle } from "#test/model/judge/slots";

const hour = 3_600_000;
/** How long everything gets to come to rest: no wait is longer than six hours, and one more look is due within the next. */
export const restFor = 8 * hour;
const stepsAtMost = 20_000;
const minuteMs = 60_000;
/** How long a slot may be free, while someone waits for one, when nothing goes wrong but what the fates say. */
const slotIdleForMs = 5 * minuteMs;

/** The outcome of each call in a run without random faults. */
export type Fates = (call: Call) => Fate;

const withoutFault: Fates = () => ({ kind: "answered" });

/** Works everything off that can be worked off at this instant, one run after the other; without a fault unless told. */
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
  witness.complain("L5", `it does not come to rest at ${new Date(installation.now).toISOString()}`);
}

/** Lets hours pass without a fault and without people, with the schedules running; then checks what must be so at rest. */
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
  const looks = [now, now + 60_000, now + hour + 1_000].map((at) => ({ at, look }));
  await letPass(now + restFor, installation, looks);
  if (witness.broken.length === 0) await checkRest(members, installation);
  if (witness.broken.length === 0) await thaw(installation);
}

/** Lets people lift all freezes: half a minute later nobody waits for one. */
async function thaw(installation: Installation): Promise<void> {
  const { witness, stored } = installation;
  for (const { freeze } of [...witness.frozen.values()])
    await answerCalls(await endFreeze(freeze, installation), installation, withoutFault);
  await letPass(installation.now + minuteMs / 2, installation, []);
  for (const { workload, pending } of stored.records().values())
    if (pending?.waits.some(({ reason }) => reason === "frozen"))
      witness.complain("L1", `update ${pending.seq} of ${workload.name} still waits for a freeze that was lifted`);
}

/** Lets time pass up to an instant, with looks at the clusters at their times, and the reaper when something is overdue. */
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
        `someone waits for a slot, and one is free since ${new Date(takenAt).toISOString()}`,
      );
    const next = nextInstant(installation, ahead[0]?.at);
    if (next === undefined || next > end) return;
    installation.now = next;
    const minute = slotIsIdle(installation) && next % minuteMs === 0;
    if (minute || overdue(installation).length > 0) await reapAndCheck(installation, fates);
  }
}

/**
 * A message, a schedule, or a record whose time is over: the reaper looks a minute after that at the latest, and each minute while someone
 * waits for a slot that is free.
 */
function nextInstant(installation: Installation, syncAt: number | undefined): number | undefined {
  const { mailbox, stored, now } = installation;
  const due = [...stored.records().values()].flatMap(({ dueAt }) => (dueAt === undefined ? [] : [dueAt + 60_000]));
  const minute = slotIsIdle(installation) ? (Math.floor(now / minuteMs) + 1) * minuteMs : undefined;
  const instants = [mailbox.nextAt(), syncAt, minute, ...due].filter((at) => at !== undefined);
  return instants.length === 0 ? undefined : Math.max(now + 1, Math.min(...instants));
}

function overdue({ stored, now }: Installation): readonly WorkloadRecord[] {
  return [...stored.records().values()].filter(({ dueAt }) => dueAt !== undefined && dueAt < now);
}

/** Answers the calls of one run while it makes any. */
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
  if (run.dead) return;
  const bodies = new Set(mailbox.all.map(({ body }) => body));
  for (const record of found)
    if (!openCommands(record).some(({ command }) => bodies.has(JSON.stringify(command))))
      witness.complain("L4", `${record.workload.name} is overdue, and no message for it exists`);
}

import { desiredImages } from "#app/shared/selection";
import { readsOver } from "#app/shared/registry-reads";
import { askGates, closedGates } from "#domain/gates/index";
import { openCommands } from "#domain/update/next-commands";
import { epochMs } from "#domain/shared/time";
import { parseSettings } from "#domain/settings/settings";
import type { WorkloadRecord } from "#domain/update/states";
import type { ClosedGate } from "#domain/gates/closed-gate";
import { workloadKey } from "#domain/workload/workload";
import type { Installation } from "./installation.ts";
import { short } from "#test/model/image-text";
import type { Fate } from "#test/model/faults/fates";
import { imagesOf, type Member } from "#test/model/actors/members";
import { endFreeze } from "#test/model/actors/people";
import type { Call, Run } from "./runs.ts";
import { deliver, handOn, meetFate, reapNow, sweepNow } from "./steps.ts";
import { untold } from "#test/model/history/witness";
import { freeSlot, slotIsIdle } from "#test/model/judge/slots";

const hour = 3_600_000;
/** How long everything gets to come to rest: no wait is longer than six hours, and one more look is due within the next. */
export const restFor = 8 * hour;
const stepsAtMost = 6_000;
const minuteMs = 60_000;
/** How long a slot may be free, while someone waits for one, when nothing goes wrong but what the fates say. */
const slotIdleForMs = 5 * minuteMs;

/** What becomes of each call while nothing is left to chance. */
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
    if (!openCommands(record).some(({ work }) => bodies.has(JSON.stringify(work))))
      witness.complain("L4", `${record.workload.name} is overdue, and no message for it exists`);
}

/** Checks what must be so when everything has come to rest. */
export async function checkRest(members: readonly Member[], installation: Installation): Promise<void> {
  const { witness, stored } = installation;
  for (const what of untold(witness)) witness.complain("S9", what);
  for (const member of members) {
    const record = stored.records().get(workloadKey(member.workload));
    if (record === undefined) witness.complain("L2", `${member.workload.name} was never tracked`);
    else await checkMember(member, record, installation);
  }
}

async function checkMember(member: Member, record: WorkloadRecord, installation: Installation): Promise<void> {
  const { witness, cluster } = installation;
  const { name } = member.workload;
  const shown = cluster.object(member.workload);
  const enabled = shown?.metadata.annotations?.["lookout.dev/enabled"] === "true";
  if (record.tracked !== enabled) witness.complain("L2", `${name} is tracked: ${String(record.tracked)}`);
  if (record.active !== undefined)
    witness.complain("L3", `update ${record.active.seq} of ${name} is ${record.active.status} for ever`);
  checkMessages(record, installation);
  checkRefusals(record, installation);
  if (!enabled || record.active !== undefined) return;
  for (const [container, image] of imagesOf(member, installation))
    if (record.observed.containers.find((one) => one.name === container)?.image !== image)
      witness.complain("L2", `${name} shows ${short(image)}, and Lookout does not know it`);
  checkHeld(record, shown.metadata.annotations, installation);
  await checkSelection(record, installation);
}

/** What is held is held by something that is so now. */
function checkHeld(
  record: WorkloadRecord,
  annotations: Readonly<Record<string, string>>,
  installation: Installation,
): void {
  const { witness } = installation;
  const { pending } = record;
  if (pending === undefined) return;
  const quarantined = pending.changes
    .filter(({ digest }) => witness.quarantinedAt.has(digest))
    .map(({ digest }) => ({ digest, why: "CVE" }));
  const settings = parseSettings(annotations, record.observed.containers);
  const now = epochMs(installation.now);
  const windowSpread = installation.ports.limits.windowSpread;
  const freezes = [...witness.frozen.values()].map(({ freeze }) => freeze);
  const slot = freeSlot(installation);
  const facts = { quarantined, freezes, plannedFreezes: [], windowSpread, ...(slot === undefined ? {} : { slot }) };
  const closed = closedGates(askGates({ now, record, settings, seq: pending.seq, facts }));
  const [told, so] = [names(pending.waits), names(closed)];
  if (told !== so || so === "")
    witness.complain("L1", `update ${pending.seq} of ${record.workload.name} waits for [${told}]; what is so: [${so}]`);
}

/** Whoever waits for something else besides a slot is not told when one is free. */
function names(waits: readonly ClosedGate[]): string {
  const reasons = waits.map(({ reason }) => reason);
  const others = reasons.filter((reason) => reason !== "cluster-budget");
  return (others.length > 0 ? others : reasons).join(", ");
}

/** What the registry and the policy want runs, or is on its way, or was refused. */
async function checkSelection(record: WorkloadRecord, { ports, images, witness }: Installation): Promise<void> {
  const settings = parseSettings(record.observed.annotations, record.observed.containers);
  const reads = readsOver({ ...ports, registry: images.registry }, new AbortController().signal);
  const selected = await desiredImages(record, settings, reads);
  for (const desired of selected) {
    if (desired.kind !== "change") continue;
    const open = record.pending?.changes.some(
      ({ digest, tag }) => digest === desired.change.digest && tag === desired.change.tag,
    );
    if (open !== true)
      witness.complain(
        "L2",
        `${record.workload.name} should get ${short(desired.change.to)}, and nothing is under way`,
      );
  }
}

/**
 * A digest is refused only when it did not start, or when a person moved the workload off its tag. What runs beside it may not start either, a
 * tag may name something else by the time that the pods pull it, and a clock that is minutes off ends a rollout's time too soon, or
 * takes a patch for over that lands after all, and what it wrote for a person's.
 */
function checkRefusals(record: WorkloadRecord, { witness, images, skewed }: Installation): void {
  const key = workloadKey(record.workload);
  const { containers, annotations } = record.observed;
  const alone = containers.length === 1 && annotations["lookout.dev/apply"] === undefined;
  const starts = (digest: string): boolean => (alone ? !images.broken.has(digest) : images.broken.size === 0);
  const left = (text: string, digest: string): boolean =>
    witness.leftByHand.has(`${key} ${text}`) && images.digestsOf(text).includes(digest);
  for (const { repository, digest, reason, tag } of record.refusals) {
    const deserved =
      reason === "changed-by-hand"
        ? left(`${repository}:${tag}`, digest) || skewed
        : !starts(digest) || (skewed && reason === "rollout-timed-out");
    if (!deserved)
      witness.complain(
        "L2",
        `${record.workload.name} refuses ${tag} ${short(digest)} (${reason}), which nobody gave a reason for`,
      );
  }
}

function checkMessages(record: WorkloadRecord, { mailbox, witness, copies }: Installation): void {
  for (const { work } of openCommands(record)) {
    const body = JSON.stringify(work);
    const live = mailbox.all.filter((message) => message.body === body).length;
    if (live > 1 + copies)
      witness.complain("L5", `${live} messages for ${body}, although only ${copies} copies were made`);
  }
}

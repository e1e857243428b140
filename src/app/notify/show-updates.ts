import { countsOf, mostNamed, type Story, storyOf, updateStory, type UpdateStory } from "#domain/notify/story";
import {
  busyPause,
  firstTold,
  isUrgent,
  mayWait,
  mostFailures,
  mostMembers,
  pauseAfter,
  planOf,
  type Subject,
  subjectOf,
  type ToldMessage,
} from "#domain/notify/told";
import { showsWorkload } from "#domain/notify/filter";
import { isAtLeast, type Outcome } from "#domain/notify/words";
import type { PushStep } from "#domain/history/push-step";
import { windowState } from "#domain/schedule/window";
import { type EpochMs, hours, plus } from "#domain/shared/time";
import type { AnyFact } from "#domain/update/events";
import { parseWorkloadKey, workloadKey } from "#domain/workload/workload";
import type { Answer, Channel, UpdatesSender } from "#ports/channels";
import { mapBounded } from "../shared/bounded.ts";
import { openedNow, postpone, type Postponed, send } from "./sending.ts";
import {
  type Asked,
  claim,
  ended,
  hashOf,
  keep,
  referenceAfter,
  type Shown,
  type TellingPorts,
  wakeAt,
} from "./told-message.ts";

/** The rows of a workload's ledger in which an update is looked for. */
const rowsOfLedger = 200;
const workloadsAtOnce = 8;

/**
 * Shows how the updates of a fact's subject stand: in a new message, or in the one that was told
 * before. The message is rendered from what is stored, so facts may come late, twice or in any order.
 */
export async function showUpdates(asked: Asked, ports: TellingPorts): Promise<Shown | Postponed> {
  const { command, channel, verdict } = asked;
  const { fact } = command;
  const own = command.subject ?? subjectOf("updates", fact, channel.filter.onlyNamed === true);
  if (own === undefined) return { kind: "ignored" };
  const now = ports.clock.now();
  const told = await ports.told.read(channel.name, own);
  if (told === undefined && verdict === "follows" && command.subject === undefined) return { kind: "ignored" };
  const quietUntil = quietEnd(channel, now);
  if (quietUntil !== undefined && told?.reference === undefined && mayWait(fact) && own.kind !== "quiet")
    return gatherInQuiet(asked, quietUntil, ports);
  const { gather } = channel;
  const isWake = command.subject !== undefined;
  const plan = planOf(told, { isUrgent: isUrgent(fact), isWake, gather }, now);
  switch (plan.kind) {
    case "scheduled":
      return { kind: "gathered", at: told?.wakeAt ?? now };
    case "busy":
      return wakeLater(asked, own, plus(now, busyPause), ports);
    case "wait":
      return waitUntil(asked, own, told, plan.until, ports);
    case "show":
      return show(asked, own, told, ports);
  }
}

async function wakeLater({ command }: Asked, subject: Subject, at: EpochMs, ports: TellingPorts): Promise<Shown> {
  await wakeAt(at, { command, subject }, ports);
  return { kind: "gathered", at };
}

/** Plans the next look at a subject. The command is sent first, so that no stored plan lacks it. */
async function waitUntil(
  asked: Asked,
  subject: Subject,
  told: ToldMessage | undefined,
  at: EpochMs,
  ports: TellingPorts,
): Promise<Shown> {
  await wakeAt(at, { command: asked.command, subject }, ports);
  const next =
    told === undefined
      ? firstTold({ channel: asked.channel.name, subject }, at, ports.clock.now())
      : { ...told, version: told.version + 1, wakeAt: at };
  // If another run was first, the additional command finds nothing to change.
  await ports.told.write(next);
  return { kind: "gathered", at };
}

/** Returns the end of the quiet hours, or undefined outside of them. */
function quietEnd({ quiet }: Channel, now: EpochMs): EpochMs | undefined {
  if (quiet.length === 0) return undefined;
  const state = windowState(quiet, now);
  return state.open ? undefined : (state.nextChange().at ?? plus(now, hours(24)));
}

/** Adds an update to the message at the end of the quiet hours. */
async function gatherInQuiet({ command, channel }: Asked, until: EpochMs, ports: TellingPorts): Promise<Shown> {
  const { fact } = command;
  if (!("workload" in fact)) return { kind: "ignored" };
  const subject = { kind: "quiet", until } as const;
  // What happens to the update after the quiet hours is told on its own.
  const own = subjectOf("updates", fact, channel.filter.onlyNamed === true);
  if (own !== undefined && (await ports.told.read(channel.name, own)) === undefined)
    await ports.told.write(firstTold({ channel: channel.name, subject: own }, until, ports.clock.now()));
  const member = [fact.seq, workloadKey(fact.workload)].join("/");
  const told = await ports.told.read(channel.name, subject);
  const members = told?.members ?? [];
  if (members.includes(member) || members.length >= mostMembers) return { kind: "gathered", at: until };
  if (told === undefined) await wakeAt(until, { command, subject }, ports);
  const first = told ?? { ...firstTold({ channel: channel.name, subject }, until, ports.clock.now()), version: 0 };
  if (await ports.told.write({ ...first, version: first.version + 1, members: [...members, member] }))
    return { kind: "gathered", at: until };
  return gatherInQuiet({ command, channel, verdict: "opens" }, until, ports);
}

/** Sends what a subject's message has to show now, and the failures that have not been told. */
async function show(
  asked: Asked,
  subject: Subject,
  told: ToldMessage | undefined,
  ports: TellingPorts,
): Promise<Shown | Postponed> {
  const { channel, command } = asked;
  let current = await claim({ channel, subject }, told, ports);
  if (current === undefined) return wakeLater(asked, subject, plus(ports.clock.now(), busyPause), ports);
  const found = await readStory(subject, command.fact, current, channel, ports);
  const pause = pauseAfter(current.shows + 1, found.story.total);
  const done = async (last: ToldMessage): Promise<Shown> => {
    await keep(ended(last, plus(ports.clock.now(), pause)), ports);
    return { kind: last.shows > (told?.shows ?? 0) ? "shown" : "unchanged" };
  };
  if (found.story.total === 0) return done(current);
  const failed = async (answer: Exclude<Answer, { kind: "told" }>, last: ToldMessage): Promise<Shown | Postponed> => {
    const postponed = await postpone({ ...command, subject }, channel, answer, ports);
    const now = ports.clock.now();
    if (postponed.kind === "later") await keep({ ...ended(last, postponed.at), wakeAt: postponed.at }, ports);
    else await keep(ended(last, now), ports);
    return postponed;
  };
  const shown = await showParent(current, found.story, channel, ports);
  if (shown.kind !== "told") return failed(shown.answer, current);
  current = shown.told;
  for (const update of found.failures) {
    const key = failureKey(update);
    if (current.failures.includes(key) || current.failures.length >= mostFailures) continue;
    const { reference } = current;
    const answer = await send(
      channel,
      "updates",
      (sender) => sender.post(sender.renderFailure(update), reference),
      ports,
    );
    if (answer.kind === "later" || answer.kind === "off") return failed(answer, current);
    current = await keep({ ...current, failures: [...current.failures, key] }, ports);
  }
  return done(current);
}

/** Posts or edits the message of a subject, unless it shows the same already. */
async function showParent(
  told: ToldMessage,
  story: Story,
  channel: Channel,
  ports: TellingPorts,
): Promise<
  | { readonly kind: "told"; readonly told: ToldMessage }
  | { readonly kind: "failed"; readonly answer: Exclude<Answer, { kind: "told" }> }
> {
  const opened = await openedNow(channel);
  const editable = opened.kind === "open" && (opened.sender as UpdatesSender).edit !== undefined;
  // A message that can't be changed is worth sending only if it stays true, or asks for a person.
  const isWorthIt = editable || opened.kind !== "open" || story.isEnded || isAtLeast(story.severity, "warning");
  const hash = opened.kind === "open" ? hashOf((opened.sender as UpdatesSender).render(story)) : "";
  if (!isWorthIt || told.hash === hash) return { kind: "told", told };
  const { reference } = told;
  const post = () => send(channel, "updates", (sender) => sender.post(sender.render(story)), ports);
  const edit = (of: string) =>
    send(channel, "updates", (sender) => (sender.edit ?? sender.post)(sender.render(story), of), ports);
  const edited = reference === undefined || !editable ? undefined : await edit(reference);
  const isNew = edited === undefined || edited.kind === "gone";
  const answer = isNew ? await post() : edited;
  // A message that the server refuses is not tried again until it shows something else.
  if (answer.kind === "refused" || answer.kind === "gone") {
    const refused = await keep({ ...told, hash }, ports);
    return { kind: "told", told: refused };
  }
  if (answer.kind !== "told") return { kind: "failed", answer };
  // What a new message shows by name needs no message of its own.
  const named = isNew ? story.updates.filter(isFailure).map(failureKey) : [];
  const failures = [...new Set([...told.failures, ...named])].slice(0, mostFailures);
  const next = { ...told, hash, shows: told.shows + 1, failures, ...referenceAfter(answer, reference) };
  return { kind: "told", told: await keep(next, ports) };
}

const failureOutcomes: readonly Outcome[] = ["failed", "rolled-back", "rollback-failed"];

function isFailure({ outcome }: UpdateStory): boolean {
  return failureOutcomes.includes(outcome);
}

function failureKey({ uid, seq, severity }: UpdateStory): string {
  return [uid, seq, severity].join("/");
}

interface Found {
  readonly story: Story;
  readonly failures: readonly UpdateStory[];
}

async function readStory(
  subject: Subject,
  fact: AnyFact,
  { members = [] }: ToldMessage,
  { filter }: Channel,
  ports: TellingPorts,
): Promise<Found> {
  switch (subject.kind) {
    case "push": {
      const all = await ports.pushes.stepsOf(subject.push);
      const steps = all.filter(({ workload }) => {
        const parsed = parseWorkloadKey(workload);
        return parsed.ok && showsWorkload(filter, parsed.value);
      });
      if (steps.length <= 1)
        return ofUpdates([
          ...(await storiesOf(steps, ports)),
          ...(steps.length === 1 ? [] : await ofFact(fact, ports)),
        ]);
      // No step says yet that the update of the fact fails.
      const own = "workload" in fact ? workloadKey(fact.workload) : undefined;
      const rank = (step: PushStep) => (step.workload === own ? 2 : Number(isBad(step)));
      const first = steps.toSorted((one, other) => rank(other) - rank(one));
      const read = await storiesOf(first.slice(0, Math.max(mostNamed, mostFailures)), ports);
      const counts = countsOf(steps.map(({ ended: end }) => ({ outcome: end ?? "in-progress" })));
      return { story: storyOf(read, counts), failures: read.filter(isFailure) };
    }
    case "quiet": {
      const updates = members.map((member) => {
        const [seq = "", ...key] = member.split("/");
        return { seq: Number(seq), workload: key.join("/") };
      });
      return { story: storyOf(await storiesOf(updates, ports)), failures: [] };
    }
    case "update":
      return ofUpdates(await storiesOf([subject], ports));
    case "workload":
      return ofUpdates([]);
  }
}

function ofUpdates(updates: readonly UpdateStory[]): Found {
  return { story: storyOf(updates), failures: updates.filter(isFailure) };
}

async function ofFact(fact: AnyFact, ports: TellingPorts): Promise<readonly UpdateStory[]> {
  if (!("workload" in fact)) return [];
  return storiesOf([{ workload: workloadKey(fact.workload), seq: fact.seq }], ports);
}

function isBad({ ended: end }: PushStep): boolean {
  return end === "failed" || end === "rolled-back" || end === "rollback-failed";
}

async function storiesOf(
  updates: readonly { readonly workload: string; readonly seq: number }[],
  { ledger }: TellingPorts,
): Promise<readonly UpdateStory[]> {
  const found = await mapBounded(updates, workloadsAtOnce, async ({ workload, seq }) =>
    updateStory(await ledger.read(workload, rowsOfLedger), { seq }),
  );
  return found.filter((story) => story !== undefined);
}

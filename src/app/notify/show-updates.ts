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
import { durationMs, type EpochMs, hours, minutes, plus } from "#domain/shared/time";
import type { Deliver } from "#domain/update/commands";
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
  whileClaimed,
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
  const subject = command.subject ?? subjectOf("updates", fact, channel.filter.onlyNamed === true);
  if (subject === undefined) return { kind: "ignored" };
  const told = await ports.told.read(channel.name, subject);
  if (told === undefined && verdict === "follows" && command.subject === undefined) return { kind: "ignored" };
  const quietUntil = quietEnd(channel, ports.clock.now());
  if (quietUntil !== undefined && told?.reference === undefined && mayWait(fact) && subject.kind !== "quiet")
    return gatherInQuiet(asked, quietUntil, ports);
  return follow(asked, subject, told, ports);
}

/** Shows a subject now, or lets a delivery come that shows it. */
async function follow(
  asked: Asked,
  subject: Subject,
  told: ToldMessage | undefined,
  ports: TellingPorts,
): Promise<Shown | Postponed> {
  const now = ports.clock.now();
  const { command, channel } = asked;
  const asking = { isUrgent: isUrgent(command.fact), isWake: command.subject !== undefined, gather: channel.gather };
  const plan = planOf(told, asking, now);
  switch (plan.kind) {
    case "scheduled":
      return { kind: "gathered", at: told?.wakeAt ?? now };
    case "busy":
      return wakeLater(asked, subject, plus(now, busyPause), ports);
    case "wait":
      return waitUntil(asked, subject, told, plan.until, ports);
    case "show":
      return show(asked, subject, told, ports);
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
  if (members.includes(member)) return { kind: "gathered", at: until };
  // Another message has room for the others.
  if (members.length >= mostMembers)
    return gatherInQuiet({ command, channel, verdict: "opens" }, nextPart(until), ports);
  if (told === undefined) await wakeAt(until, { command, subject }, ports);
  const first = told ?? { ...firstTold({ channel: channel.name, subject }, until, ports.clock.now()), version: 0 };
  if (await ports.told.write({ ...first, version: first.version + 1, members: [...members, member] }))
    return { kind: "gathered", at: until };
  return gatherInQuiet({ command, channel, verdict: "opens" }, until, ports);
}

/** Returns the end of the quiet hours for the next message of them. */
function nextPart(until: EpochMs): EpochMs {
  return plus(until, durationMs(1));
}

/** Sends what a subject's message has to show now, and the failures that have not been told. */
async function show(
  asked: Asked,
  subject: Subject,
  told: ToldMessage | undefined,
  ports: TellingPorts,
): Promise<Shown | Postponed> {
  const { channel } = asked;
  const claimed = await claim({ channel, subject }, told, ports);
  if (claimed === undefined) return wakeLater(asked, subject, plus(ports.clock.now(), busyPause), ports);
  return whileClaimed(claimed, ports, (note) => showClaimed(asked, { subject, claimed, note }, ports));
}

interface Claimed {
  readonly subject: Subject;
  readonly claimed: ToldMessage;
  /** Notes each version that was stored. */
  readonly note: (stored: ToldMessage) => void;
}

async function showClaimed(
  { channel, command }: Asked,
  { subject, claimed, note }: Claimed,
  ports: TellingPorts,
): Promise<Shown | Postponed> {
  const found = await readStory(subject, command.fact, claimed, channel, ports);
  const failed = async (answer: Exclude<Answer, { kind: "told" }>, last: ToldMessage): Promise<Shown | Postponed> => {
    const isOwed = last.reference !== undefined;
    const postponed = await postpone({ ...command, subject }, channel, answer, ports, isOwed);
    const now = ports.clock.now();
    if (postponed.kind === "later") await keep({ ...ended(last, postponed.at), wakeAt: postponed.at }, ports);
    else await keep(ended(last, now), ports);
    return postponed;
  };
  const shown =
    found.story.total === 0
      ? { kind: "told" as const, told: claimed }
      : await showParent(claimed, found.story, channel, ports);
  if (shown.kind !== "told") return failed(shown.answer, claimed);
  let current = shown.told;
  note(current);
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
    note(current);
  }
  await endShowing(current, { subject, story: found.story, command }, ports);
  return { kind: current.shows > claimed.shows ? "shown" : "unchanged" };
}

/** The pause between looks at the updates of quiet hours that have not ended. */
const quietLook = minutes(5);
/** After this time, the message of quiet hours stays as it is. */
const quietLooks = hours(24);

async function endShowing(
  told: ToldMessage,
  { subject, story, command }: { readonly subject: Subject; readonly story: Story; readonly command: Deliver },
  ports: TellingPorts,
): Promise<void> {
  const now = ports.clock.now();
  // No later fact belongs to the message of quiet hours, so it looks itself until its updates end.
  const looksAgain =
    subject.kind === "quiet" && told.reference !== undefined && !story.isEnded && now < plus(subject.until, quietLooks);
  if (!looksAgain) {
    await keep(ended(told, plus(now, pauseAfter(told.shows, story.total))), ports);
    return;
  }
  const at = plus(now, quietLook);
  await wakeAt(at, { command, subject }, ports);
  await keep({ ...ended(told, at), wakeAt: at }, ports);
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
  const look = await lookOf(story, channel);
  if ("answer" in look) return { kind: "failed", answer: look.answer };
  const { editable, hash } = look;
  if (!look.isWorthIt || told.hash === hash) return { kind: "told", told };
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

/** What a message would look like. */
interface Look {
  readonly editable: boolean;
  readonly hash: string;
  /** Whether the message is worth sending. One that can't change has to stay true, or to ask for a person. */
  readonly isWorthIt: boolean;
}

async function lookOf(
  story: Story,
  channel: Channel,
): Promise<Look | { readonly answer: Exclude<Answer, { kind: "told" }> }> {
  const opened = await openedNow(channel);
  if (opened.kind === "unread") return { answer: { kind: "later", why: opened.why } };
  // The sending says why the channel can't be used.
  if (opened.kind === "unusable") return { editable: false, hash: "", isWorthIt: true };
  const sender = opened.sender as UpdatesSender;
  if (sender.edit !== undefined) return { editable: true, hash: hashOf(sender.render(story)), isWorthIt: true };
  const pressing = story.updates.filter(({ severity }) => isAtLeast(severity, "warning")).map(failureKey);
  const isWorthIt = story.isEnded || pressing.length > 0;
  // Such a message is sent again only for another update that asks for a person, and at the end.
  const hash = hashOf(story.isEnded ? sender.render(story) : { pressing: pressing.toSorted() });
  return { editable: false, hash, isWorthIt };
}

const failureOutcomes: readonly Outcome[] = ["failed", "rolled-back", "rollback-failed"];

function isFailure({ outcome }: Pick<UpdateStory, "outcome">): boolean {
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
      const steps = all.filter(({ workload }) => isVisible(filter, workload));
      if (steps.length <= 1)
        return ofUpdates([
          ...(await storiesOf(steps, ports)),
          ...(steps.length === 1 ? [] : await ofFact(fact, ports)),
        ]);
      // No step says yet that the update of the fact fails.
      const own = "workload" in fact ? workloadKey(fact.workload) : undefined;
      const rank = (step: PushStep) =>
        step.workload === own ? 2 : Number(isFailure({ outcome: step.ended ?? "in-progress" }));
      const first = steps.toSorted((one, other) => rank(other) - rank(one));
      const read = await storiesOf(first.slice(0, Math.max(mostNamed, mostFailures)), ports);
      // A step of a push tells only the end of an update.
      const outcomes = new Map(read.map((story) => [workloadKey(story.workload), story.outcome]));
      const counts = countsOf(
        steps.map(({ workload, ended: end }) => ({ outcome: end ?? outcomes.get(workload) ?? "in-progress" })),
      );
      return { story: storyOf(read, counts), failures: read.filter(isFailure) };
    }
    case "quiet": {
      const updates = members.map((member) => {
        const [seq = "", ...key] = member.split("/");
        return { seq: Number(seq), workload: key.join("/") };
      });
      const visible = updates.filter(({ workload }) => isVisible(filter, workload));
      return { story: storyOf(await storiesOf(visible, ports)), failures: [] };
    }
    case "update":
      return ofUpdates(await storiesOf([subject], ports));
    case "workload":
      return ofUpdates([]);
  }
}

/** Returns whether a channel may show a workload. Its filter may be narrower than when it was told first. */
function isVisible(filter: Channel["filter"], workload: string): boolean {
  const parsed = parseWorkloadKey(workload);
  return parsed.ok && showsWorkload(filter, parsed.value);
}

function ofUpdates(updates: readonly UpdateStory[]): Found {
  return { story: storyOf(updates), failures: updates.filter(isFailure) };
}

async function ofFact(fact: AnyFact, ports: TellingPorts): Promise<readonly UpdateStory[]> {
  if (!("workload" in fact)) return [];
  return storiesOf([{ workload: workloadKey(fact.workload), seq: fact.seq }], ports);
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

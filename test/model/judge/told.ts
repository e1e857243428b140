import { hashOf } from "#app/notify/told-message";
import { verdictOf } from "#domain/notify/filter";
import { countsOf, storyOf, type Story, updateStory } from "#domain/notify/story";
import { type Subject, subjectOf } from "#domain/notify/told";
import type { Deliver } from "#domain/update/commands";
import { endings } from "#domain/update/state/workload";
import { workloadKey } from "#domain/workload/workload";
import type { Channel } from "#ports/channels";
import type { LedgerRow } from "#ports/ledger";
import { storyText } from "#test/app/notify/chat";
import type { Receivers } from "#test/app/notify/receivers";
import type { Installation } from "#test/model/world/installation";

/** Checks at rest that receivers were told all that they have to know, and that what they show is true. */
export async function checkTold(installation: Installation): Promise<void> {
  const { receivers, witness } = installation;
  if (receivers === undefined) return;
  const kept = keptDeliveries(installation);
  const complain = (what: string): void => witness.complain("S25", what);
  const { chat, plain, pager, audit } = receivers;
  for (const { channels } of [chat, plain])
    for (const channel of channels.all())
      for (const [key, subject] of subjectsOf(channel, installation))
        if (!kept.has(`${channel.name} ${key}`)) await checkChat(channel, subject, receivers, installation);
  checkIncidents(pager.channels.all()[0]?.name ?? "", kept, installation);
  for (const channel of audit.channels.all())
    for (const fact of witness.facts.values())
      if (verdictOf(channel.filter, channel.name, fact) === "opens" && !audit.ids().has(fact.id))
        if (!kept.has(`${channel.name} ${fact.id}`)) complain(`${channel.name} was never told ${fact.id}`);
}

/** The messages that a channel has to show, by the text of their subjects. */
function subjectsOf({ filter, name }: Channel, { witness }: Installation): ReadonlyMap<string, Subject> {
  const subjects = new Map<string, Subject>();
  for (const fact of witness.facts.values()) {
    const subject = verdictOf(filter, name, fact) === "opens" ? subjectOf("updates", fact) : undefined;
    if (subject !== undefined) subjects.set(JSON.stringify(subject), subject);
  }
  return subjects;
}

async function checkChat(
  channel: Channel,
  subject: Subject,
  { chat }: Receivers,
  { ports, witness }: Installation,
): Promise<void> {
  const stories = trueStories(subject, [...witness.rows.values()]);
  const told = await ports.told.read(channel.name, subject);
  const named = `${channel.name} ${JSON.stringify(subject)}`;
  if (told === undefined) {
    witness.complain("S25", `${named} was never told`);
    return;
  }
  const texts = stories.map(storyText);
  if (channel.name === "plain") {
    // What is no end is posted only if its own fact asks for a person.
    const isWorthIt = stories.every(({ isEnded }) => isEnded);
    if (isWorthIt && !texts.some((text) => hashOf({ text }) === told.hash))
      witness.complain("S25", `${named} was not told "${texts.join('" or "')}" at last`);
    return;
  }
  const shown = chat.messages()[Number(told.reference)]?.text;
  if (!texts.some((text) => text === shown))
    witness.complain("S25", `${named} shows "${shown ?? "nothing"}", and "${texts.join('" or "')}" is true`);
}

/** What a message may show: one story, or one of several if a push selected nothing. */
function trueStories(subject: Subject, rows: readonly LedgerRow[]): readonly Story[] {
  const single = ({ workload, seq }: Pick<LedgerRow, "workload" | "seq">): readonly Story[] => {
    const story = updateStory(
      rows.filter((row) => row.workload === workload),
      { seq },
    );
    return story === undefined ? [] : [storyOf([story])];
  };
  if (subject.kind === "update") return single(subject);
  const push = subject.kind === "push" ? subject.push : "";
  const own = rows.filter(({ correlationId }) => correlationId === push);
  const steps = own.filter(({ transition }) => transition.selected === true || endingOf(transition) !== undefined);
  const last = [...Map.groupBy(steps, ({ workload }) => workload).values()].map((of) =>
    of.reduce((one, other) => (other.version >= one.version ? other : one)),
  );
  if (last.length <= 1) return (last.length === 0 ? own : last).flatMap(single);
  const outcomes = last.map(({ workload, seq, transition }) => {
    const open = updateStory(
      rows.filter((row) => row.workload === workload),
      { seq },
    );
    return { outcome: endingOf(transition) ?? open?.outcome ?? ("in-progress" as const) };
  });
  return [storyOf([], countsOf(outcomes))];
}

function endingOf({ what }: LedgerRow["transition"]) {
  return endings.find((ending) => ending === what);
}

const fails: readonly string[] = ["failed", "rolled-back", "rollback-failed"];
const mends: readonly string[] = ["succeeded", "unblocked", "digests-unblocked", "untracked"];

/** Checks that exactly those workloads have an incident whose last ended update failed, and that nobody mended. */
function checkIncidents(name: string, kept: ReadonlySet<string>, { receivers, witness }: Installation): void {
  const wanted = new Map<string, boolean>();
  const rows = [...witness.rows.values()].sort((one, other) => one.version - other.version || one.seq - other.seq);
  for (const { workload, transition } of rows) {
    if (fails.includes(transition.what)) wanted.set(workload, true);
    else if (mends.includes(transition.what)) wanted.set(workload, false);
  }
  for (const [key, isWanted] of wanted)
    if (receivers?.pager.open().has(key) !== isWanted && ![...kept].some((one) => one.startsWith(`${name} ${key}`)))
      witness.complain("S25", `the incident of ${key} is ${isWanted ? "not open" : "still open"}`);
}

/** The time after which a delivery is late by a fault: none is planned as far ahead. */
const lateAfterMs = 3_600_000;

/**
 * The deliveries that failed five times and are kept for a person, or come late by hours: `channel subject` and
 * `channel fact`.
 */
function keptDeliveries({ mailbox, now }: Installation): ReadonlySet<string> {
  const letters = [...mailbox.sent].filter((body) => body.startsWith(`{"body":"{\\"name\\":\\"Deliver\\"`));
  const late = mailbox.all.filter(({ queue, at }) => queue === "Deliver" && at > now + lateAfterMs);
  const bodies = letters.map((letter) => (JSON.parse(letter) as { readonly body: string }).body);
  return new Set(
    [...bodies, ...late.map(({ body }) => body)].flatMap((body) => {
      const { channel, fact } = JSON.parse(body) as Deliver;
      const own = subjectOf("updates", fact);
      const workload = "workload" in fact ? workloadKey(fact.workload) : "";
      return [`${channel} ${JSON.stringify(own)}`, `${channel} ${fact.id}`, `${channel} ${workload}`];
    }),
  );
}

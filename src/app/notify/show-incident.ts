import { isAtLeast } from "#domain/notify/words";
import { busyPause, planOf, type Subject, subjectOf, type ToldMessage } from "#domain/notify/told";
import { troubleOf } from "#domain/notify/story";
import { plus, seconds } from "#domain/shared/time";
import { postpone, type Postponed, send } from "./sending.ts";
import {
  type Asked,
  claim,
  ended,
  hashOf,
  keep,
  type Shown,
  type TellingPorts,
  wakeAt,
  whileClaimed,
} from "./told-message.ts";

/** The rows of a ledger that tell whether the last update failed. */
const rowsOfLedger = 100;

/** Opens the incident of a workload whose last update failed, and resolves it after a recovery. */
export async function showIncident(asked: Asked, ports: TellingPorts): Promise<Shown | Postponed> {
  const { command, channel, verdict } = asked;
  const subject = command.subject ?? subjectOf("incidents", command.fact);
  if (subject?.kind !== "workload") return { kind: "ignored" };
  const told = await ports.told.read(channel.name, subject);
  if (told === undefined && verdict === "follows" && command.subject === undefined) return { kind: "ignored" };
  const now = ports.clock.now();
  const plan = planOf(told, { isUrgent: true, isWake: command.subject !== undefined, gather: seconds(0) }, now);
  const claimed = plan.kind === "busy" ? undefined : await claim({ channel, subject }, told, ports);
  if (claimed !== undefined) return whileClaimed(claimed, ports, () => showClaimed(asked, subject, claimed, ports));
  const at = plus(now, busyPause);
  await wakeAt(at, { command, subject }, ports);
  return { kind: "gathered", at };
}

async function showClaimed(
  { command, channel }: Asked,
  subject: Extract<Subject, { kind: "workload" }>,
  claimed: ToldMessage,
  ports: TellingPorts,
): Promise<Shown | Postponed> {
  const trouble = troubleOf(await ports.ledger.read(subject.workload, rowsOfLedger));
  const open = trouble !== undefined && isAtLeast(trouble.severity, channel.filter.minSeverity) ? trouble : undefined;
  const hash = open === undefined ? "" : hashOf({ seq: open.update.seq, severity: open.severity });
  const { hash: former = "" } = claimed;
  const end = (told: ToldMessage) => keep(ended(told, ports.clock.now()), ports);
  if (former === hash) {
    await end(claimed);
    return { kind: "unchanged" };
  }
  const { workload: key } = subject;
  const answer = await send(
    channel,
    "incidents",
    (sender) => (open === undefined ? sender.resolve(key) : sender.open(sender.render(open), key)),
    ports,
  );
  if (answer.kind === "told" || answer.kind === "refused" || answer.kind === "gone") {
    await end({ ...claimed, hash, shows: claimed.shows + 1 });
    return { kind: "shown" };
  }
  // An open incident that should be resolved wakes people for nothing.
  const postponed = await postpone({ ...command, subject }, channel, answer, ports, former !== "");
  await end(claimed);
  return postponed;
}

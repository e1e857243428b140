import { isAtLeast } from "#domain/notify/words";
import { busyPause, planOf, subjectOf } from "#domain/notify/told";
import { troubleOf } from "#domain/notify/story";
import { plus, seconds } from "#domain/shared/time";
import { postpone, type Postponed, send } from "./sending.ts";
import { type Asked, claim, ended, hashOf, keep, type Shown, type TellingPorts, wakeAt } from "./told-message.ts";

/** The rows of a ledger that tell whether the last update failed. */
const rowsOfLedger = 100;

/** Opens the incident of a workload whose last update failed, and resolves it after a recovery. */
export async function showIncident(asked: Asked, ports: TellingPorts): Promise<Shown | Postponed> {
  const { command, channel, verdict } = asked;
  const subject = command.subject ?? subjectOf("incidents", command.fact);
  if (subject?.kind !== "workload") return { kind: "ignored" };
  const told = await ports.told.read(channel.name, subject);
  if (told === undefined && verdict === "follows" && command.subject === undefined) return { kind: "ignored" };
  const isWake = command.subject !== undefined;
  const plan = planOf(told, { isUrgent: true, isWake, gather: seconds(0) }, ports.clock.now());
  const current = plan.kind === "busy" ? undefined : await claim({ channel, subject }, told, ports);
  if (current === undefined) {
    const at = plus(ports.clock.now(), busyPause);
    await wakeAt(at, { command, subject }, ports);
    return { kind: "gathered", at };
  }
  const trouble = troubleOf(await ports.ledger.read(subject.workload, rowsOfLedger));
  const isOpen = trouble !== undefined && isAtLeast(trouble.severity, channel.filter.minSeverity);
  const key = subject.workload;
  const hash = isOpen ? hashOf({ seq: trouble.update.seq, severity: trouble.severity }) : "";
  const now = () => ports.clock.now();
  if ((current.hash ?? "") === hash) {
    await keep(ended(current, now()), ports);
    return { kind: "unchanged" };
  }
  const answer = await send(
    channel,
    "incidents",
    (sender) => (isOpen ? sender.open(sender.render(trouble), key) : sender.resolve(key)),
    ports,
  );
  if (answer.kind === "told" || answer.kind === "refused" || answer.kind === "gone") {
    await keep({ ...ended(current, now()), hash, shows: current.shows + 1 }, ports);
    return { kind: "shown" };
  }
  const postponed = await postpone({ ...command, subject }, channel, answer, ports);
  await keep(ended(current, now()), ports);
  return postponed;
}

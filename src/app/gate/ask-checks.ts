import { answerTo, type CheckSubject, claimOf, isValid, subjectOf } from "#domain/checks/answer";
import { checksAt, type CheckTime } from "#domain/checks/rules";
import { checksIn } from "#domain/gates/checks";
import type { WorkloadSettings } from "#domain/settings/settings";
import { seconds } from "#domain/shared/time";
import type { AskChecks, CheckRollout, Wake } from "#domain/update/commands";
import { extraCheck, extraWake } from "#domain/update/effects/commands";
import { type Decision, renewal, waitsOn } from "#domain/update/state/changes";
import { type ActiveUpdate, bakeOf, type PendingUpdate, type WorkloadRecord } from "#domain/update/state/workload";
import { type CommandOutcome, decideFor } from "../decide.ts";
import { allOf } from "../shared/bounded.ts";
import type { Ports } from "../shared/ports.ts";
import { settingsOf } from "../shared/records.ts";
import { leave, store, type Stored } from "../shared/turn.ts";

/** The outcome of an `AskChecks`. `asked-elsewhere`: another run asks the same question. */
export type AskChecksOutcome =
  | CommandOutcome
  | Stored
  | { readonly kind: "nothing-to-ask" | "asked-elsewhere" }
  | { readonly kind: "asked"; count: number };

/**
 * The pause before Lookout looks once more for the answer to a question that another run asks. After that,
 * the reaper sends the command again each minute.
 */
const answeredSoon = seconds(5);

/**
 * Asks the checks that have no valid answer about the update of a workload, stores their answers, and
 * lets the update go on.
 *
 * A run claims a question before it asks, so workloads with the same digests ask once. A repeated
 * command finds the stored answers.
 */
export async function askChecks(command: AskChecks, ports: Ports): Promise<AskChecksOutcome> {
  return decideFor<AskChecksOutcome>(command, ports, { doing: "asked about" }, async (record) => {
    const asked = questionsOf(record, await settingsOf(record, ports), ports);
    if (asked === undefined) return leave({ kind: "nothing-to-ask" });
    const results = await allOf(asked.subjects.map((subject) => askOnce(subject, asked, record, ports)));
    if (results.includes("elsewhere")) {
      const now = ports.clock.now();
      // A new version calls for the checks again, and is due later.
      if (record.effects.dueAt !== undefined && record.effects.dueAt <= now) return store(record, renewed(record), now);
      if (command.isRepeat !== true)
        await ports.queues.send([{ command: { ...command, isRepeat: true }, delay: answeredSoon }]);
      return leave({ kind: "asked-elsewhere" });
    }
    // The instant tells this answer from earlier ones about the same version.
    const next = asked.goesOn(`checks:${ports.clock.now()}`);
    await ports.queues.send([{ command: next, delay: seconds(0) }]);
    return leave({ kind: "asked", count: results.filter((one) => one === "asked").length });
  });
}

/** Returns the decision that lets an update wait on. */
function renewed({ active, pending }: WorkloadRecord): Decision {
  if (active !== undefined) return renewal(active);
  return pending === undefined ? { changes: {}, transitions: [] } : waitsOn(pending);
}

/** The questions about an update, and the command that goes on after the answers. */
interface Questions {
  readonly when: CheckTime;
  readonly update: PendingUpdate | ActiveUpdate;
  readonly subjects: readonly CheckSubject[];
  readonly goesOn: (requestedBy: string) => Wake | CheckRollout;
}

/** Returns the questions about the present update of a record, or undefined if it waits for no check. */
function questionsOf(
  record: WorkloadRecord,
  settings: WorkloadSettings,
  { rules: { checks: rules } }: Ports,
): Questions | undefined {
  const { workload, uid, active, pending } = record;
  const update = active ?? pending;
  if (update === undefined) return undefined;
  const isBake = bakeOf(active) !== undefined;
  if (active !== undefined && !isBake) return undefined;
  const when = isBake ? "bake" : "release";
  const subject = subjectOf(update.changes, isBake ? { workload, uid, seq: update.seq } : undefined);
  return {
    when,
    update,
    subjects: checksAt(when, checksIn(rules, workload, settings)).map(({ name: check }) => ({ check, subject })),
    goesOn: (requestedBy) => (isBake ? extraCheck(record, requestedBy) : extraWake(record, requestedBy)),
  };
}

/** Asks one check, unless there is a valid answer or another run asks. */
async function askOnce(
  subject: CheckSubject,
  { when, update }: Questions,
  { workload }: WorkloadRecord,
  { checkAnswers, checks, clock }: Ports,
): Promise<"asked" | "answered" | "elsewhere"> {
  const at = clock.now();
  const [stored] = await checkAnswers.among([subject]);
  if (stored !== undefined && isValid(stored, at, when === "bake"))
    return stored.outcome === "asking" ? "elsewhere" : "answered";
  const claim = claimOf(subject, stored, at);
  if (!(await checkAnswers.claim(claim, at))) return "elsewhere";
  const { seq, detectedAt, source, changes } = update;
  const reply = await checks.ask(subject.check, {
    ...{ when, update: { seq, detectedAt, source }, workload, changes, at },
  });
  return (await checkAnswers.answer(answerTo(claim, reply, clock.now()), claim)) ? "asked" : "elsewhere";
}

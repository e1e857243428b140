import type { UpdateView, WorkloadState, WorkloadView } from "#contracts/api/workloads";
import { withShortDigests } from "./image.ts";
import { type Look, type Mark, paintMark } from "./look.ts";
import { shortReason } from "./reason.ts";
import { elapsed, relative } from "./time.ts";

/** A state in words, with the mark that goes before it. */
export interface StateText {
  readonly mark: Mark;
  readonly words: string;
}

/** Says in one line how a workload stands: state, then the reasons joined by " · ". */
export function stateOf(workload: WorkloadView, look: Look): StateText {
  switch (workload.state) {
    case "up-to-date":
      return { mark: "✓", words: list(["up to date" + looked(workload, look), ...reasonsOf(workload, look)]) };
    case "held":
      return { mark: "⏸", words: withReasons("held", workload, look) };
    case "released":
      return { mark: "↻", words: withReasons("released, about to be patched", workload, look) };
    case "rolling-out":
      return { mark: "↻", words: withReasons(progress("rolling out", workload.active, look), workload, look) };
    case "rolling-back":
      return { mark: "↻", words: withReasons(progress("taking back", workload.active, look), workload, look) };
    case "reverted":
      return takenBack(workload, look);
    case "problem":
      return { mark: "!", words: problems(workload, look) };
  }
}

/** Writes a state for a table. */
export function stateText({ mark, words }: StateText, look: Look): string {
  return `${paintMark(mark, look)} ${words}`;
}

/** How a summary counts the workloads of a state; those that are up to date go without saying. */
export const countedStates = [
  ["held", "held"],
  ["released", "released"],
  ["rolling-out", "rolling out"],
  ["rolling-back", "being rolled back"],
  ["reverted", "rolled back"],
  ["problem", "with a problem"],
] as const satisfies readonly (readonly [WorkloadState, string])[];

function list(parts: readonly string[]): string {
  return parts.join(" · ");
}

function reasonsOf({ reasons }: Pick<WorkloadView, "reasons">, look: Look): readonly string[] {
  return reasons.map((reason) => shortReason(reason, look));
}

function withReasons(words: string, workload: Pick<WorkloadView, "reasons">, look: Look): string {
  const reasons = list(reasonsOf(workload, look));
  return reasons === "" ? words : `${words}: ${reasons}`;
}

function looked({ lookedAt }: WorkloadView, look: Look): string {
  return lookedAt === undefined ? ", not looked at yet" : `, looked ${relative(lookedAt, look)}`;
}

function progress(words: string, active: UpdateView | undefined, look: Look): string {
  const detail = active?.detail;
  const since = active?.patchedAt === undefined ? undefined : elapsed(active.patchedAt, look);
  return [words, detail, since].filter((part) => part !== undefined && part !== "").join(", ");
}

/** How an update that is rolled back may have ended. */
const backEndings: readonly UpdateView["status"][] = ["rolled-back", "rollback-failed", "failed"];

/** The update that was rolled back because it failed; undefined when a user reverted one, or none was. */
export function failedUpdate({ reasons, last }: Pick<WorkloadView, "reasons" | "last">): UpdateView | undefined {
  if (reasons.some(({ reason }) => reason === "reverted-by-user")) return undefined;
  return last !== undefined && backEndings.includes(last.status) ? last : undefined;
}

function takenBack(workload: WorkloadView, look: Look): StateText {
  const failed = failedUpdate(workload);
  if (failed !== undefined) return endingOf(failed, look);
  const { last } = workload;
  const when = last?.status === "reverted" && last.endedAt !== undefined ? ` ${relative(last.endedAt, look)}` : "";
  return { mark: "⏸", words: `reverted by a user${when}, waits for: lookout unblock` };
}

/** Says how an update ended, when, and why. */
export function endingOf(update: UpdateView, look: Look): StateText {
  const { mark, words } = endings[update.status];
  const when = update.endedAt === undefined ? "" : ` ${relative(update.endedAt, look)}`;
  const why = update.detail === undefined ? list(reasonsOf(update, look)) : withShortDigests(update.detail, look);
  return { mark, words: `${words}${when}${why === "" ? "" : `: ${why}`}` };
}

const endings: Readonly<Record<UpdateView["status"], StateText>> = {
  held: { mark: "⏸", words: "held" },
  released: { mark: "↻", words: "released" },
  "rolling-out": { mark: "↻", words: "rolling out" },
  "rolling-back": { mark: "↻", words: "taking back" },
  succeeded: { mark: "✓", words: "succeeded" },
  "rolled-back": { mark: "✗", words: "rolled back" },
  "rollback-failed": { mark: "✗", words: "taking it back failed" },
  failed: { mark: "✗", words: "failed" },
  reverted: { mark: "⏸", words: "reverted by a user" },
  superseded: { mark: "✓", words: "superseded" },
  refused: { mark: "✗", words: "refused" },
};

/** Says how an update stands, open or ended. */
export function updateState(update: UpdateView, look: Look): StateText {
  if (update.endedAt !== undefined) return endingOf(update, look);
  const { mark, words } = endings[update.status];
  return { mark, words: withReasons(progress(words, update, look), update, look) };
}

function problems(workload: WorkloadView, look: Look): string {
  const told = workload.problems.filter(({ closes }) => closes).map(problemText);
  return withShortDigests(list(told.length > 0 ? told : reasonsOf(workload, look)), look);
}

/** Writes what is wrong with a setting: `lookout.dev/semver-range ">>1": not a range (character 2)`. */
export function problemText({ key, value, message }: WorkloadView["problems"][number]): string {
  return `${key} "${value}": ${message}`;
}

import type { UpdateView, WorkloadState, WorkloadView } from "#contracts/api/workloads";
import { problemText } from "#domain/annotations/written-settings";
import { blockedBeside, blockedTexts, blockedWords } from "./blocked.ts";
import { withShortDigests } from "./image.ts";
import { type Style, type Mark, paintMark } from "./style.ts";
import { shortReason } from "./reason.ts";
import { skippedText } from "./skipped.ts";
import { uncheckedTexts } from "./unchecked.ts";
import { elapsed, relative } from "./time.ts";

interface StateText {
  readonly mark: Mark;
  readonly words: string;
}

/**
 * Returns a workload's state in one line, with its reasons, its blocked versions and the registries
 * that gave no answer.
 */
export function stateOf(workload: WorkloadView, style: Style): StateText {
  const { mark, words } = checkedState(workload, style);
  return { mark, words: list([...(words === "" ? [] : [words]), ...uncheckedTexts(workload, style)]) };
}

function checkedState(workload: WorkloadView, style: Style): StateText {
  if (workload.state === "blocked") return blockedState(workload, style);
  const { mark, words } = ownState(workload, workload.state, style);
  // A failing update tells of its own versions.
  const blocked = blockedTexts(blockedBeside(workload, workload.active?.seq), style);
  return { mark, words: list([...(words === "" ? [] : [words]), ...blocked]) };
}

function ownState(workload: WorkloadView, state: Exclude<WorkloadState, "blocked">, style: Style): StateText {
  switch (state) {
    case "up-to-date":
      return { mark: "✓", words: list(["up to date" + checkedText(workload, style), ...reasonsOf(workload, style)]) };
    case "newer-skipped": {
      const skipped = skippedTexts(workload);
      const [first = "newer tags skipped", ...more] = skipped;
      return { mark: "!", words: list([first + checkedText(workload, style), ...more, ...reasonsOf(workload, style)]) };
    }
    case "held":
      return { mark: "⏸", words: observedText(workload) ?? withReasons(heldText(workload, style), workload, style) };
    case "released":
      return { mark: "↻", words: withReasons("released, about to be patched", workload, style) };
    case "patching":
      return { mark: "↻", words: withReasons("patching", workload, style) };
    case "rolling-out":
      return { mark: "↻", words: withReasons(progress("rolling out", workload.active, style), workload, style) };
    case "rolling-back":
      return { mark: "↻", words: withReasons(progress("rolling back", workload.active, style), workload, style) };
    case "suspended":
    case "kept":
      return { mark: "⏸", words: list([...reasonsOf(workload, style), ...availableTexts(workload)]) };
    case "reverted":
      return revertedState(workload, style);
    case "problem":
      return { mark: "!", words: problems(workload, style) };
    case "removed":
      return { mark: "⏸", words: removedText(workload, style) };
  }
}

/** Returns how long an update has been held: `held 9 h`. */
function heldText({ pending }: WorkloadView, style: Style): string {
  const since = pending === undefined ? "" : elapsed(pending.selectedAt, style);
  return since === "" ? "held" : `held ${since}`;
}

/**
 * Returns the state of an update that only observation holds: what would happen, or after the
 * observation how to release it. Undefined if other gates hold the update.
 */
function observedText(workload: WorkloadView): string | undefined {
  const { reasons, runs, wants, observes } = workload;
  const [first] = reasons;
  if (first?.reason !== "observe") return undefined;
  const changes = wants.map((image) => {
    const from = runs.find(({ container }) => container === image.container);
    const name = wants.length > 1 ? `${image.container}: ` : "";
    return `${name}${from?.tag ?? "?"} → ${image.tag ?? "another digest"}`;
  });
  const would = `would update ${changes.join(", ")} (observe)`;
  const detail = first.detail === undefined ? [] : [first.detail];
  const ended = observes === undefined ? ["no longer observed: lookout release"] : [];
  return list([would, ...detail, ...ended]);
}

/** Returns a state for a table. */
export function stateText({ mark, words }: StateText, style: Style): string {
  return `${paintMark(mark, style)} ${words}`;
}

/** The words of the summary for each state except `up-to-date`. */
export const countedStates = [
  ["newer-skipped", "with newer tags skipped"],
  ["held", "held"],
  ["released", "released"],
  ["patching", "patching"],
  ["rolling-out", "rolling out"],
  ["rolling-back", "being rolled back"],
  ["suspended", "suspended"],
  ["reverted", "reverted by a user"],
  ["kept", "kept at a requested version"],
  ["blocked", "with a blocked version"],
  ["problem", "with a problem"],
  ["removed", "of removed clusters"],
] as const satisfies readonly (readonly [WorkloadState, string])[];

/** Returns the newer tags that a requested version keeps out. */
function availableTexts({ runs }: Pick<WorkloadView, "runs">): readonly string[] {
  return runs.flatMap(({ available }) => (available === undefined ? [] : [`${available} is available`]));
}
/** The names of all states. */
export const stateNames: readonly string[] = ["up-to-date", ...countedStates.map(([state]) => state)];

/** Returns the skipped tags of each container. */
function skippedTexts({ runs }: Pick<WorkloadView, "runs">): readonly string[] {
  return runs.flatMap(({ newerSkipped }) => (newerSkipped === undefined ? [] : [skippedText(newerSkipped)]));
}

function list(parts: readonly string[]): string {
  return parts.join(" · ");
}

/** Returns the reasons, without those that {@link uncheckedTexts} shows. */
function reasonsOf(
  { reasons, unchecked }: Pick<WorkloadView, "reasons"> & Partial<Pick<WorkloadView, "unchecked">>,
  style: Style,
): readonly string[] {
  const shown = new Set(unchecked?.map(({ why }) => why.reason));
  return reasons.filter(({ reason }) => !shown.has(reason)).map((reason) => shortReason(reason, style));
}

function withReasons(words: string, workload: Parameters<typeof reasonsOf>[0], style: Style): string {
  const reasons = list(reasonsOf(workload, style));
  return reasons === "" ? words : `${words}: ${reasons}`;
}

function checkedText({ checkedAt }: WorkloadView, style: Style): string {
  return checkedAt === undefined ? ", not checked yet" : `, checked ${relative(checkedAt, style)}`;
}

function progress(words: string, active: UpdateView | undefined, style: Style): string {
  const detail = active?.detail;
  const since = active?.patchedAt === undefined ? undefined : elapsed(active.patchedAt, style);
  return [words, detail, since].filter((part) => part !== undefined && part !== "").join(", ");
}

function removedText({ reasons: [reason] }: WorkloadView, style: Style): string {
  const { detail, until } = reason ?? {};
  const why = detail === undefined ? "" : `: ${detail}`;
  return `removed${why}${until === undefined ? "" : `, ends ${relative(until, style)}`}`;
}

const rollbackEndings: readonly UpdateView["status"][] = ["rolled-back", "rollback-failed", "failed"];

/** Returns the state of a workload whose policy would select a blocked version. */
function blockedState(workload: WorkloadView, style: Style): StateText {
  const { last, blocked } = workload;
  const others = [...skippedTexts(workload), ...reasonsOf(workload, style)];
  const ofLast = blocked.filter(({ seq }) => seq === last?.seq);
  if (last !== undefined && ofLast.length > 0 && rollbackEndings.includes(last.status)) {
    const { mark, words } = endingOf(last, style);
    const first = `${blockedWords({ blocked: ofLast })}, ${words}`;
    return { mark, words: list([first, ...blockedTexts(blockedBeside(workload, last.seq), style), ...others]) };
  }
  const [first = "", ...more] = blockedTexts(workload, style);
  const mark = blocked[0]?.why.reason === "digest-blocked" ? "✗" : "⏸";
  return { mark, words: list([first + checkedText(workload, style), ...more, ...others]) };
}

function revertedState({ last }: WorkloadView, style: Style): StateText {
  const when = last?.status === "reverted" && last.endedAt !== undefined ? ` ${relative(last.endedAt, style)}` : "";
  return { mark: "⏸", words: `reverted by a user${when}, waiting for lookout unblock` };
}

/** Returns the result of an update, with its time and reason. */
export function endingOf(update: UpdateView, style: Style): StateText {
  const { mark, words } = endings[update.status];
  const when = update.endedAt === undefined ? "" : ` ${relative(update.endedAt, style)}`;
  const why = update.detail === undefined ? list(reasonsOf(update, style)) : withShortDigests(update.detail, style);
  return { mark, words: `${words}${when}${why === "" ? "" : `: ${why}`}` };
}

const endings: Readonly<Record<UpdateView["status"], StateText>> = {
  held: { mark: "⏸", words: "held" },
  released: { mark: "↻", words: "released" },
  patching: { mark: "↻", words: "patching" },
  "rolling-out": { mark: "↻", words: "rolling out" },
  "rolling-back": { mark: "↻", words: "rolling back" },
  succeeded: { mark: "✓", words: "succeeded" },
  "rolled-back": { mark: "✗", words: "rolled back" },
  "rollback-failed": { mark: "✗", words: "rollback failed" },
  failed: { mark: "✗", words: "failed" },
  reverted: { mark: "⏸", words: "reverted by a user" },
  superseded: { mark: "✓", words: "superseded" },
  rejected: { mark: "✗", words: "rejected" },
};

/** Returns the state of an open or ended update. */
export function updateState(update: UpdateView, style: Style): StateText {
  if (update.endedAt !== undefined) return endingOf(update, style);
  const { mark, words } = endings[update.status];
  return { mark, words: withReasons(progress(words, update, style), update, style) };
}

function problems(workload: WorkloadView, style: Style): string {
  const texts = workload.problems.filter(({ closes }) => closes).map(problemText);
  return withShortDigests(list(texts.length > 0 ? texts : reasonsOf(workload, style)), style);
}

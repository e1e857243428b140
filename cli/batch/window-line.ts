import { readLine, WindowLineSchema } from "#contracts/batch/lines";
import { type EpochMs, toIso } from "#domain/shared/time";
import {
  describeWindow,
  type MaintenanceWindow,
  type NextChange,
  readWindow,
  type WindowState,
  windowState,
  type WrittenWindow,
} from "#domain/schedule/window";
import { badLineRefusal, type LineAnswer, type LineRefusal, refusal } from "./lines.ts";

/**
 * The state of windows at an instant. The answer for open windows may have `until`. The answer for
 * closed windows may have `opensAt`.
 */
export interface WindowAnswer {
  readonly ok: true;
  readonly open: boolean;
  readonly until: string | null;
  readonly opensAt: string | null;
  readonly because: string;
}

/** Returns the answer to a line of `lookout window check --batch`. */
export function answerWindowLine(line: string): LineAnswer {
  const read = readLine(WindowLineSchema, line);
  if (!read.ok) return badLineRefusal(read.problem);
  const windows: MaintenanceWindow[] = [];
  for (const [index, written] of read.value.windows.entries()) {
    const window = knownWindow(written, index);
    if ("ok" in window) return window;
    windows.push(window);
  }
  const state = windowState(windows, read.value.at);
  return windowAnswer(windows, state, state.nextChange());
}

function knownWindow(written: WrittenWindow, index: number): MaintenanceWindow | LineRefusal {
  const read = readWindow(written);
  if (read.ok) return read.value;
  const { code, part, index: element, message } = read.problem;
  const place = element === undefined ? part : `${part}[${element}]`;
  return refusal({ code, message: `windows[${index}].${place}: ${message}` });
}

/** Returns whether windows are open, and the time of the next change. */
export function windowAnswer(
  windows: readonly MaintenanceWindow[],
  state: WindowState,
  { at: next }: NextChange,
): WindowAnswer {
  return {
    ok: true,
    open: state.open,
    until: state.open ? instantText(next) : null,
    opensAt: state.open ? null : instantText(next),
    because: becauseOf(windows, state),
  };
}

/** Returns an instant without fractions of a second; null for undefined. */
export function instantText(at: EpochMs | undefined): string | null {
  return at === undefined ? null : toIso(at).replace(".000Z", "Z");
}

function becauseOf(windows: readonly MaintenanceWindow[], { open, because }: WindowState): string {
  const names = because.map(describeWindow).join(", ");
  if (names !== "") return open ? `open: ${names}` : `active: ${names}`;
  if (windows.length === 0) return "no maintenance window limits updates";
  const allowing = windows.filter(({ effect }) => effect === "allow");
  return allowing.length === 0 ? "no blackout is active" : `none is open: ${allowing.map(describeWindow).join(", ")}`;
}

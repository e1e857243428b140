import { describeWindow, type WindowState, windowState } from "../schedule/window.ts";
import { placeOf } from "../shared/jitter.ts";
import { durationMs, plus, toIso } from "../shared/time.ts";
import { type AskGate, closed, open } from "./gate.ts";

/**
 * Holds an update outside its maintenance windows, and in blackouts. After a window opens, the
 * updates of workloads start at different times.
 */
export const askWindows: AskGate = ({ settings: { windows }, record, now, facts: { windowSpread } }) => {
  if (windows.length === 0) return open;
  const names = windows.map(describeWindow).join(", ");
  const state = windowState(windows, now);
  if (state.open)
    return {
      kind: "open",
      get detail() {
        return openDetail(names, state);
      },
    };
  const { at: opensAt } = state.nextChange();
  const until =
    opensAt === undefined ? {} : { until: plus(opensAt, durationMs(Math.floor(placeOf(record.uid) * windowSpread))) };
  // The detail names the active blackouts. If no blackout is active, the detail names all windows.
  const blackouts = state.because.map(describeWindow).join(", ");
  if (blackouts !== "") return closed({ reason: "blackout-active", detail: blackouts, ...until });
  return closed({ reason: "window-closed", detail: names, ...until });
};

function openDetail(names: string, { nextChange }: WindowState): string {
  const { at } = nextChange();
  return at === undefined ? names : `${names}, until ${toIso(at)}`;
}

import { describeWindow, type MaintenanceWindow, type NextChange, type WindowState } from "#domain/schedule/window";
import { type EpochMs, toIso } from "#domain/shared/time";

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

import { parseInstant, toIso } from "#domain/shared/time";
import { type MaintenanceWindow, parseCronWindow, parseWindow, windowState } from "#domain/schedule/window";

/** A window as an annotation has it. */
export type WindowText = Parameters<typeof parseWindow>[0] | Parameters<typeof parseCronWindow>[0];

/** Reads windows that can be read. */
export function windows(...texts: readonly WindowText[]): readonly MaintenanceWindow[] {
  return texts.flatMap((text) => {
    const parsed: ReturnType<typeof parseCronWindow> = "cron" in text ? parseCronWindow(text) : parseWindow(text);
    if (!parsed.ok) throw new Error(parsed.problem.message);
    return parsed.value;
  });
}

/** What Lookout says of them: `open`, `open until …`, `closed` or `closed until …`, in UTC. */
export function state(at: string, ...texts: readonly WindowText[]): string {
  const instant = parseInstant(at);
  if (instant === undefined) throw new Error(`${at} is no instant`);
  const answer = windowState(windows(...texts), instant);
  const { at: until } = answer.nextChange();
  const end = until === undefined ? "" : ` until ${toIso(until).replace(".000Z", "Z")}`;
  return `${answer.open ? "open" : "closed"}${end}`;
}

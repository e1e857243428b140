import * as z from "zod";
import { fleet, parseFreezeScope } from "#domain/gates/freezes";
import { readWindow } from "#domain/schedule/window";
import { kubernetesName, someText, unique } from "./fields.ts";
import { formOfWindow } from "./window-form.ts";

const text = (expected: string, description: string) => z.string(expected).exactOptional().describe(description);

const clock = "a time such as 22:00";
const day = "a date such as 2026-12-20 or 2026-12-20T18:00";

/** Returns a domain message without the value at its start. The problem shows the value already. */
function withoutValue(message: string): string {
  return message.replace(/^"[^]*?": /, "");
}

/** The schema of a window that stops something: times of days, cron with a duration, or a span of dates. */
export const Window = z
  .strictObject(
    {
      days: z
        .array(z.string("a day such as Sat"), "a list of days")
        .readonly()
        .exactOptional()
        .describe("The days on which start opens the window, such as Sat or Mon-Fri. Default: every day."),
      start: text(clock, "The local time at which the window opens. It needs end."),
      end: text(
        clock,
        "The local time at which the window closes. 24:00 is midnight. An end before the start is on the next day.",
      ),
      cron: text("a cron expression", "The cron expression of the times at which the window opens. It needs duration."),
      duration: text("a duration", "The time that the window stays open: 1m to 366d, in whole seconds."),
      from: text(day, "The date, or date and time, at which the window opens. It needs until."),
      until: text(day, "The date, or date and time, at which the window closes. It is at most 366 days after from."),
      timeZone: text("the name of a time zone", "The IANA name of the time zone, such as Europe/Berlin. Default: UTC."),
    },
    "a window: start and end, cron and duration, or from and until",
  )
  .transform(({ timeZone, ...parts }, context) => {
    const fault = ({ part, index, message }: { part: string; index?: number; message: string }): never => {
      const path = index === undefined ? [part] : [part, index];
      context.issues.push({ code: "custom", message, path, input: parts });
      return z.NEVER;
    };
    const form = formOfWindow(parts);
    if (!form.ok) return fault(form.problem);
    const window = readWindow({ effect: "deny", timeZone, ...form.value });
    return window.ok ? window.value : fault({ ...window.problem, message: withoutValue(window.problem.message) });
  });

const scope = z.string("a scope: CLUSTER, CLUSTER/NAMESPACE, or *").transform((written, context) => {
  const parsed = parseFreezeScope(written);
  if (parsed.ok) return parsed.value;
  context.issues.push({ code: "custom", message: withoutValue(parsed.problem.replace(" is", ": is")), input: written });
  return z.NEVER;
});

const Freeze = z
  .strictObject(
    {
      name: kubernetesName.describe("The name of the freeze in messages."),
      scope: scope.prefault(fleet).describe("The frozen scope: CLUSTER, CLUSTER/NAMESPACE, or * for the whole fleet."),
      why: someText("the reason, which users see").describe("The reason, which users see."),
      windows: z
        .array(Window, "a list of windows")
        .min(1, "at least one window")
        .readonly()
        .describe("The windows. The freeze is active while one of its windows is open."),
    },
    "a freeze with name, why and windows",
  )
  .readonly();

/** The schema of the freezes in `lookout.yaml`. Names are unique. */
export const Freezes = unique(Freeze, "name", "a list of freezes");

import * as z from "zod";
import { type Refusal, refusal } from "#cli/answers/refusal";
import { windowAnswer } from "#cli/answers/window";
import { formOfWindow } from "#contracts/config/window-form";
import { type MaintenanceWindow, readWindow, windowState, type WrittenWindow } from "#domain/schedule/window";
import { badLineRefusal, instant, judge, type LineAnswer, readLine } from "./lines.ts";

const WindowSchema = z
  .strictObject({
    effect: z.enum(["allow", "deny"]).exactOptional(),
    days: z.array(z.string()).exactOptional(),
    start: z.string().exactOptional(),
    end: z.string().exactOptional(),
    cron: z.string().exactOptional(),
    duration: z.string().exactOptional(),
    timeZone: z.string().exactOptional(),
  })
  .transform(({ effect, timeZone, ...parts }, context) => {
    const form = formOfWindow(parts);
    if (form.ok) return { effect, timeZone, ...form.value };
    const { part, message } = form.problem;
    context.issues.push({ code: "custom", message, path: [part], input: undefined });
    return z.NEVER;
  });

const WindowLineSchema = z.strictObject({ windows: z.array(WindowSchema), at: instant });

/** Answers `{"windows":[…],"at":"…"}` with the state of the windows at this instant. */
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

function knownWindow(written: WrittenWindow, index: number): MaintenanceWindow | Refusal {
  const read = readWindow(written);
  if (read.ok) return read.value;
  const { code, part, index: element, message } = read.problem;
  const place = element === undefined ? part : `${part}[${element}]`;
  return refusal({ code, message: `windows[${index}].${place}: ${message}` });
}

if (import.meta.main) await judge(answerWindowLine);

import { ok, problem, type Result } from "#domain/shared/result";
import type { WrittenWindow } from "#domain/schedule/window";

/** The parts of a window as a mapping has them, whatever its form. */
export interface WindowParts {
  readonly days?: readonly string[];
  readonly start?: string;
  readonly end?: string;
  readonly cron?: string;
  readonly duration?: string;
  readonly from?: string;
  readonly until?: string;
}

/** A part that is missing, or doesn't go with the others. `message` says what is expected. */
export interface FormProblem {
  readonly part: keyof WindowParts;
  readonly message: string;
}

/** By what a form is known, in the order in which they are looked for. */
const forms = [
  ["cron", "duration"],
  ["from", "until"],
] as const;

/**
 * Finds out which form the parts of a window make. Every part is known, and which belong together depends on the form: a union of forms would
 * name those of the other forms as unknown.
 */
export function formOfWindow(parts: WindowParts): Result<WrittenWindow, FormProblem> {
  const [one, other] = forms.find((form) => form.some((part) => parts[part] !== undefined)) ?? ["start", "end"];
  const own: readonly string[] = one === "start" ? ["days", one, other] : [one, other];
  const written = Object.keys(parts).filter(
    (part): part is keyof WindowParts => parts[part as keyof WindowParts] !== undefined,
  );
  const stray = written.find((part) => !own.includes(part));
  if (stray !== undefined) return problem({ part: stray, message: `not known beside ${one} and ${other}` });
  const missing = [one, other].find((part) => parts[part] === undefined);
  if (missing === undefined) return ok(parts as WrittenWindow);
  const instead = missing === "start" ? ", or cron and duration" : "";
  return problem({ part: missing, message: `expected a text${instead}` });
}

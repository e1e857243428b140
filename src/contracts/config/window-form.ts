import { ok, problem, type Result } from "#domain/shared/result";
import type { WrittenWindow } from "#domain/schedule/window";

/** The parts of a window in any of its forms. */
export interface WindowParts {
  readonly days?: readonly string[];
  readonly start?: string;
  readonly end?: string;
  readonly cron?: string;
  readonly duration?: string;
  readonly from?: string;
  readonly until?: string;
}

/** A missing part, or a part of another form. */
export interface FormProblem {
  readonly part: keyof WindowParts;
  readonly message: string;
}

/** The parts that identify a form, in the order of the checks. */
const forms = [
  ["cron", "duration"],
  ["from", "until"],
] as const;

/**
 * Returns the parts as one form of a window. A union of schemas would give worse messages for mixed
 * forms.
 */
export function formOfWindow(parts: WindowParts): Result<WrittenWindow, FormProblem> {
  const [one, other] = forms.find((form) => form.some((part) => parts[part] !== undefined)) ?? ["start", "end"];
  const own: readonly string[] = one === "start" ? ["days", one, other] : [one, other];
  const written = Object.keys(parts).filter(
    (part): part is keyof WindowParts => parts[part as keyof WindowParts] !== undefined,
  );
  const stray = written.find((part) => !own.includes(part));
  if (stray !== undefined) return problem({ part: stray, message: `is not valid together with ${one} and ${other}` });
  const missing = [one, other].find((part) => parts[part] === undefined);
  if (missing === undefined) return ok(parts as WrittenWindow);
  const instead = missing === "start" ? ", or cron and duration" : "";
  return problem({ part: missing, message: `expected a text${instead}` });
}

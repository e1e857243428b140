import type { ExitCode, interruptedCode } from "./failure.ts";
import type { World } from "./world.ts";

/** An answer in each of its formats. */
export interface Answer {
  /** The API's answer, unchanged. */
  readonly value: object;
  /** Returns the answer as text, with a line break at the end. */
  readonly text: () => string;
  /** Returns the lines of `--output name`. Absent for verbs without this format. */
  readonly names?: () => readonly string[];
  /** The exit code. The default is 0. */
  readonly exitCode?: ExitCode | typeof interruptedCode;
  /** True if the verb has written its answer piece by piece. */
  readonly isWritten?: true;
}

/** Writes an answer in the format of the verb's `--output`. */
export async function writeAnswer(
  { stdout }: World,
  format: string,
  { value, text, names, isWritten }: Answer,
): Promise<void> {
  if (isWritten === true) return;
  if (format === "json") stdout.write(`${JSON.stringify(value, null, 2)}\n`);
  else if (format === "yaml") stdout.write((await import("yaml")).stringify(value, { lineWidth: 0 }));
  else if (format === "name") stdout.write((names?.() ?? []).map((name) => `${name}\n`).join(""));
  else stdout.write(text());
}

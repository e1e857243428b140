import type { Context } from "../context.ts";
import { exitCodes } from "../failure.ts";
import { textOf } from "../input.ts";

/** The answer to one line, written as one line of JSON. */
export type LineAnswer = { readonly ok: true } | LineRefusal;

/** The answer to a refused line or value, with the reason. */
export interface LineRefusal {
  readonly ok: false;
  readonly error: { readonly code: string; readonly message: string };
}

/**
 * The error code of an invalid line. An invalid line sets the exit code
 * {@link exitCodes.wrongInput}.
 */
const badLine = "bad-line";

/** Returns the answer to an invalid line. */
export function badLineRefusal(message: string): LineRefusal {
  return { ok: false, error: { code: badLine, message } };
}

/** Returns the answer to a well-formed line that has an unacceptable value. */
export function refusal({ code, message }: LineRefusal["error"]): LineRefusal {
  return { ok: false, error: { code, message } };
}

/**
 * Writes an answer for each line of stdin, in order. The use of memory does not grow with the
 * input.
 */
export async function answerLines(
  { world, setExitCode }: Context,
  answer: (line: string) => LineAnswer | Promise<LineAnswer>,
): Promise<void> {
  for await (const lines of linesOf(world.stdin())) {
    const answers: string[] = [];
    for (const line of lines) {
      const answered = line === undefined ? badLineRefusal("the line is not UTF-8 text") : await answer(line);
      if (!answered.ok && answered.error.code === badLine) setExitCode(exitCodes.wrongInput);
      answers.push(`${JSON.stringify(answered)}\n`);
    }
    world.stdout.write(answers.join(""));
    await world.outputReady();
  }
}

const lineBreak = 0x0a;

/**
 * Yields whole lines, or undefined for a line that is not UTF-8. The last line needs no line break.
 */
async function* linesOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<readonly (string | undefined)[]> {
  let begun: Uint8Array[] = [];
  for await (const piece of pieces) {
    // In UTF-8, no other character contains the byte of a line break.
    const end = piece.lastIndexOf(lineBreak);
    begun.push(end < 0 ? piece : piece.subarray(0, end));
    if (end < 0) continue;
    yield linesIn(Buffer.concat(begun));
    begun = [piece.subarray(end + 1)];
  }
  const last = Buffer.concat(begun);
  if (last.length > 0) yield linesIn(last);
}

function linesIn(bytes: Buffer): readonly (string | undefined)[] {
  const text = textOf(bytes);
  if (text !== undefined) return text.split("\n");
  const lines: (string | undefined)[] = [];
  for (let from = 0; from <= bytes.length;) {
    const end = bytes.indexOf(lineBreak, from);
    const to = end < 0 ? bytes.length : end;
    lines.push(textOf(bytes.subarray(from, to)));
    from = to + 1;
  }
  return lines;
}

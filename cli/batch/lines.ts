import type { Context } from "../context.ts";
import { exitCodes } from "../failure.ts";
import { textOf } from "../input.ts";

/** What a line is answered with, as one line of JSON. */
export type LineAnswer = { readonly ok: true } | LineRefusal;

/** Why a line has no answer. */
export interface LineRefusal {
  readonly ok: false;
  readonly error: { readonly code: string; readonly message: string };
}

/** The code of a line that is no question of the verb; one of them makes the command end with {@link exitCodes.wrongInput}. */
const badLine = "bad-line";

/** Refuses a line that is no question of the verb. */
export function badLineRefusal(message: string): LineRefusal {
  return { ok: false, error: { code: badLine, message } };
}

/** Refuses what a line asks. */
export function refusal({ code, message }: LineRefusal["error"]): LineRefusal {
  return { ok: false, error: { code, message } };
}

/** Answers every line of the input with one line, in order and at once, in memory that does not grow with their number. */
export async function answerLines(
  { world, endWith }: Context,
  answer: (line: string) => LineAnswer | Promise<LineAnswer>,
): Promise<void> {
  for await (const lines of linesOf(world.stdin())) {
    const answers: string[] = [];
    for (const line of lines) {
      const given = line === undefined ? badLineRefusal("not text in UTF-8") : await answer(line);
      if (!given.ok && given.error.code === badLine) endWith(exitCodes.wrongInput);
      answers.push(`${JSON.stringify(given)}\n`);
    }
    world.stdout.write(answers.join(""));
    await world.outputReady();
  }
}

const lineBreak = 0x0a;

/** Whole lines, as many at a time as have come together; the last may lack its line break. Undefined for one that is not UTF-8. */
async function* linesOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<readonly (string | undefined)[]> {
  let begun: Uint8Array[] = [];
  for await (const piece of pieces) {
    // In UTF-8 the byte of a line break is part of no other character.
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

import type { Context } from "../context.ts";
import { exitCodes } from "../failure.ts";

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
      const given = await answer(line);
      if (!given.ok && given.error.code === badLine) endWith(exitCodes.wrongInput);
      answers.push(`${JSON.stringify(given)}\n`);
    }
    world.stdout.write(answers.join(""));
    await world.outputReady();
  }
}

/** Whole lines, as many at a time as have come together; the last may lack its line break. */
async function* linesOf(pieces: AsyncIterable<string>): AsyncGenerator<readonly string[]> {
  let begun: string[] = [];
  for await (const piece of pieces) {
    const [end = "", ...lines] = piece.split("\n");
    begun.push(end);
    const rest = lines.pop();
    if (rest === undefined) continue;
    yield [begun.join(""), ...lines];
    begun = [rest];
  }
  const last = begun.join("");
  if (last !== "") yield [last];
}

import { once } from "node:events";
import * as z from "zod";
import { type Refusal, refusal } from "#cli/answers/refusal";
import { textOf } from "#cli/input";
import { readValue } from "#contracts/read-value";
import { readJson } from "#domain/shared/json-errors";
import { problem, type Result } from "#domain/shared/result";
import { parseInstant } from "#domain/shared/time";

/*
 * The judges: programs that read JSON Lines, and answer each line with the functions of Lookout.
 * They serve scripts that try thousands of cases, so their formats stay as they are.
 */

/** The answer to one line, written as one line of JSON. */
export type LineAnswer = { readonly ok: true } | Refusal;

/** Answers one line. */
export type AnswerLine = (line: string) => LineAnswer | Promise<LineAnswer>;

/** The error code of an invalid line. */
const badLine = "bad-line";

/** Returns the answer to an invalid line. */
export function badLineRefusal(message: string): Refusal {
  return refusal({ code: badLine, message });
}

/** Parses a line by a schema. The problem begins with its place in the line. */
export function readLine<Schema extends z.ZodType>(schema: Schema, line: string): Result<z.output<Schema>, string> {
  const read = readJson(line);
  return read.ok ? readValue(schema, read.value) : problem(`not JSON: ${read.problem}`);
}

/** Matches the offset of UTC at the end of an instant. Lines accept no other offset. */
const ofUtc = /(?:z|[+-]00:00)$/i;

/** The schema of an RFC 3339 instant in UTC. */
export const instant = z.string().transform((text, context) => {
  const at = ofUtc.test(text) ? parseInstant(text) : undefined;
  if (at !== undefined) return at;
  const message = "expected an instant of UTC such as 2026-11-21T00:30:00Z";
  context.issues.push({ code: "custom", message, input: text });
  return z.NEVER;
});

/** Answers the lines of stdin on stdout, and sets the exit code of this process. */
export async function judge(answer: AnswerLine): Promise<void> {
  const { stdin, stdout } = process;
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    // A reader such as `head -1` may close the pipe early, which is not a failure.
    process.exit(error.code === "EPIPE" ? 0 : 1);
  });
  process.exitCode = await answerLines(stdin, answer, async (answers) => {
    if (!stdout.write(answers)) await once(stdout, "drain");
  });
}

/**
 * Writes an answer for each line, in order. The use of memory does not grow with the input, because
 * each write is awaited.
 *
 * @returns the exit code: 2 if a line is invalid, else 0.
 */
export async function answerLines(
  input: AsyncIterable<Uint8Array>,
  answer: AnswerLine,
  write: (answers: string) => Promise<void>,
): Promise<0 | 2> {
  let exitCode: 0 | 2 = 0;
  for await (const lines of linesOf(input)) {
    const answers: string[] = [];
    for (const line of lines) {
      const answered = line === undefined ? badLineRefusal("the line is not UTF-8 text") : await answer(line);
      if (!answered.ok && answered.error.code === badLine) exitCode = 2;
      answers.push(`${JSON.stringify(answered)}\n`);
    }
    await write(answers.join(""));
  }
  return exitCode;
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

import { type AnswerLine, answerLines } from "./lines.ts";

type Answer = Readonly<Record<string, unknown>>;

/** Returns the answers to an input that comes in these pieces. */
export async function answersToPieces(answer: AnswerLine, pieces: Iterable<string | Uint8Array>) {
  const input = async function* () {
    for (const piece of pieces) yield Buffer.from(piece);
  };
  const written: string[] = [];
  const exitCode = await answerLines(input(), answer, async (text) => void written.push(text));
  const answers = written
    .join("")
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Answer);
  return { answers, exitCode };
}

/** Returns the answers to lines. A line that is a text is sent as it is. */
export async function answersTo(answer: AnswerLine, ...lines: readonly unknown[]) {
  const texts = lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`);
  return answersToPieces(answer, texts);
}

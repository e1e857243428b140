import { printableText } from "./render/printable.ts";

/** How the command ends. */
export const exitCodes = { done: 0, notSo: 1, wrongInput: 2, unreachable: 3, refused: 4 } as const;
/** One of {@link exitCodes}. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** What each exit code tells; the root's help and docs/commands.md show this list. */
export const exitCodeMeanings: Readonly<Record<ExitCode, string>> = {
  0: "done",
  1: "the thing asked about is not so: not found, failed",
  2: "the command or its input was wrong",
  3: "Lookout or a cluster can't be reached",
  4: "refused by policy or rights",
};

/** Ends the command with a sentence, and with what a person can do about it, line by line. */
export class Failure extends Error {
  override readonly name = "Failure";
  readonly exitCode: ExitCode;
  readonly advice: readonly string[];

  constructor(exitCode: ExitCode, sentence: string, advice: readonly string[] = [], options?: ErrorOptions) {
    super(sentence, options);
    this.exitCode = exitCode;
    this.advice = advice;
  }
}

/** Writes a failure as people see it: the mark and the sentence, then what to do, indented. */
export function formatFailure({ message, advice }: Pick<Failure, "message" | "advice">): string {
  return [`✗ ${printableText(message)}`, ...advice.map((line) => `  ${printableText(line)}`)].join("\n") + "\n";
}

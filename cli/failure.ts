import { printableText } from "#domain/shared/shown-text";

/** The exit codes of the command. */
export const exitCodes = { done: 0, notSo: 1, wrongInput: 2, unreachable: 3, refused: 4, timedOut: 5 } as const;
/** One of {@link exitCodes}. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The exit code of a command that Ctrl-C ended before its result, as of a shell. */
export const interruptedCode = 130;

/** The meaning of each exit code. The root's help and docs/commands.md show this list. */
export const exitCodeMeanings: Readonly<Record<ExitCode, string>> = {
  0: "done",
  1: "the result is negative: not found, not selected, failed",
  2: "the command or its input is wrong",
  3: "Lookout or a cluster can't be reached",
  4: "a policy or missing rights refuse the command",
  5: "the time limit of a wait is over",
};

/** Ends the command with a sentence, and with lines of advice. */
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

/** Ends the command because the server has no such object, or no such operation. */
export class NotFound extends Failure {}

/** Formats a failure: a mark and the sentence, then the indented advice. */
export function formatFailure({ message, advice }: Pick<Failure, "message" | "advice">): string {
  return [`✗ ${printableText(message)}`, ...advice.map((line) => `  ${printableText(line)}`)].join("\n") + "\n";
}

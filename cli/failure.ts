import { printableText } from "./render/printable.ts";

/** How the command ends. The root's help explains them. */
export const exitCodes = {
  done: 0,
  /** What was asked about is not so: not found, failed. */
  notSo: 1,
  /** The command or its input was wrong. */
  wrongInput: 2,
  /** Lookout or a cluster can't be reached. */
  unreachable: 3,
  /** Refused by policy or rights. */
  refused: 4,
} as const;
/** One of {@link exitCodes}. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

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

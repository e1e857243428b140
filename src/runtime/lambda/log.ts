import { Logger } from "@aws-lambda-powertools/logger";
import type { SweepOutcome } from "#app/detect/sweep-repository";
import type { FunctionName } from "#contracts/routes";
import { PermanentError, TransientError } from "#ports/errors";
import type { Log } from "../handler.ts";

/** The length of a logged chain of causes. */
const causes = 3;

/**
 * Returns the log of a function: one line of JSON per entry. A failure has the request id, which
 * Lambda's own log lines also have. Successful runs are not logged.
 */
export function lambdaLog(name: FunctionName): (requestId: string) => Log {
  const logger = new Logger({ serviceName: "lookout", persistentKeys: { function: name } });
  return (requestId) => ({
    outcome({ outcome, ...entry }) {
      if (!isRoutine(outcome)) logger.info("done", { ...entry, outcome: withErrorsAsText(outcome) });
    },
    failure({ error, ...entry }) {
      logger.error("failed", { ...entry, requestId, error: errorView(error) });
    },
  });
}

/** Sweeps that find nothing would be most lines of a month, and cost more than all others. */
function isRoutine(outcome: unknown): boolean {
  const kind: SweepOutcome["kind"] = "nothing-new";
  return typeof outcome === "object" && outcome !== null && "kind" in outcome && outcome.kind === kind;
}

/** A logged error. */
interface ErrorView {
  readonly name: string;
  readonly message: string;
  /** The stack frames; absent for expected errors. */
  readonly stack?: readonly string[];
  readonly cause?: ErrorView;
}

/** Omits the error's own members, because clients attach requests, responses and credentials. */
function errorView(error: unknown, depth = 0): ErrorView {
  if (!(error instanceof Error)) return { name: "unknown", message: "the thrown value is not an error" };
  const view = { name: error.name, message: messageOf(error) };
  const cause = error.cause === undefined || depth === causes ? {} : { cause: errorView(error.cause, depth + 1) };
  const expected = error instanceof TransientError || error instanceof PermanentError || error.name === "$ZodError";
  return { ...view, ...(expected ? {} : { stack: framesOf(error) }), ...cause };
}

/** The message of a SyntaxError quotes the text. */
function messageOf(error: Error): string {
  return error instanceof SyntaxError ? "the text can't be parsed" : error.message;
}

function framesOf({ stack = "" }: Error): readonly string[] {
  return stack.split("\n").flatMap((line) => /^ +at (.*)$/.exec(line)?.[1] ?? []);
}

function withErrorsAsText(outcome: unknown): unknown {
  const text = JSON.stringify(outcome, (_key, value: unknown) =>
    value instanceof Error ? errorView(value) : value,
  ) as string | undefined;
  return text === undefined ? undefined : JSON.parse(text);
}

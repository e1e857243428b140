import { Logger } from "@aws-lambda-powertools/logger";
import type { SweepOutcome } from "#app/detect/sweep-repository";
import type { FunctionName } from "#contracts/routes";
import { PermanentError, TransientError } from "#ports/errors";
import type { Log } from "../handler.ts";

/** The maximum number of logged causes of an error. */
const causes = 3;

/**
 * Returns the log of a function: one line of JSON per entry. A failure has the request id, as
 * Lambda's own log lines have. Sweeps without a new push are not logged.
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

/**
 * Returns true for a sweep that found nothing. The log lines of such sweeps would cost more than
 * all other lines.
 */
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

/**
 * Returns the parts of an error for the log. Lookout logs no other member of an error, because
 * clients attach requests and credentials to errors.
 */
function errorView(error: unknown, depth = 0): ErrorView {
  if (!(error instanceof Error)) return { name: "unknown", message: "the thrown value is not an error" };
  const view = { name: error.name, message: messageOf(error) };
  const cause = error.cause === undefined || depth === causes ? {} : { cause: errorView(error.cause, depth + 1) };
  const expected = error instanceof TransientError || error instanceof PermanentError || error.name === "$ZodError";
  return { ...view, ...(expected ? {} : { stack: framesOf(error) }), ...cause };
}

/**
 * Returns an error's message. The message of a SyntaxError is replaced, because it quotes the text.
 */
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

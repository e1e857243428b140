import { Logger } from "@aws-lambda-powertools/logger";
import type { FunctionName } from "#contracts/routes";
import { PermanentError, TransientError } from "#ports/errors";
import type { Log } from "../handler.ts";

/** How far causes are followed. */
const causes = 3;

/**
 * Opens the log of a function: one line of JSON for each entry. With a failure is the request's id, which leads to what Lambda itself logs of
 * the run; of one that goes well it logs nothing.
 */
export function lambdaLog(name: FunctionName): (requestId: string) => Log {
  const logger = new Logger({ serviceName: "lookout", persistentKeys: { function: name } });
  return (requestId) => ({
    outcome({ outcome, ...entry }) {
      logger.info("done", { ...entry, outcome: withErrorsAsText(outcome) });
    },
    failure({ error, ...entry }) {
      logger.error("failed", { ...entry, requestId, error: errorView(error) });
    },
  });
}

/** An error as it is logged. */
interface ErrorView {
  readonly name: string;
  readonly message: string;
  /** Where it was thrown; absent where that says nothing. */
  readonly stack?: readonly string[];
  readonly cause?: ErrorView;
}

/** Never the error's own members: those of clients hold requests and answers, and their credentials. */
function errorView(error: unknown, depth = 0): ErrorView {
  if (!(error instanceof Error)) return { name: "unknown", message: "what was thrown is no error" };
  const view = { name: error.name, message: messageOf(error) };
  const cause = error.cause === undefined || depth === causes ? {} : { cause: errorView(error.cause, depth + 1) };
  const expected = error instanceof TransientError || error instanceof PermanentError || error.name === "$ZodError";
  return { ...view, ...(expected ? {} : { stack: framesOf(error) }), ...cause };
}

/** The message of what can't be parsed quotes it. */
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

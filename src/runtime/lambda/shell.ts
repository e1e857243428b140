import middy from "@middy/core";
import type { Context } from "aws-lambda";
import { environment as names } from "#contracts/aws/environment";
import { TransientError } from "#ports/errors";
import type { Invocation } from "../handler.ts";
import { lambdaLog } from "./log.ts";
import { emfMetrics } from "./metrics.ts";
import type { Wired } from "./wiring/part.ts";
import { type FunctionSettings, wiringOf } from "./wiring/wiring.ts";

/** The handler that Lambda calls. */
export type LambdaHandler<Event, Answer> = (event: Event, context: Context) => Promise<Answer>;

/** The function that a shell runs for each event. */
export type Run<Event, Answer> = (event: Event, invocation: Invocation, wired: Wired) => Promise<Answer>;

/** The time between the abort of the signal and the end of the run by Lambda. */
const noticeMs = 1_000;
/**
 * The time that the work has to end after the signal. The rest of `noticeMs` remains for the
 * response.
 */
const graceMs = 500;

/**
 * Returns the handler of a function. Each run is wired, measured and logged. The handler logs an
 * error, and throws an error without details instead, because Lambda logs the whole thrown error.
 */
export function lambdaHandler<Event, Answer>(
  settings: FunctionSettings,
  handle: Run<Event, Answer>,
): LambdaHandler<Event, Answer> {
  const { name, environment = process.env } = settings;
  const wire = wiringOf(settings);
  const logOf = lambdaLog(name);
  const metrics = emfMetrics(environment[names.stack] ?? "lookout");
  const handler = async (event: Event, { awsRequestId }: Context, { signal }: { signal: AbortSignal }) => {
    const log = logOf(awsRequestId);
    let end: (() => void) | undefined;
    try {
      const run = await wire(metrics.port, signal);
      end = run.end;
      const { receivers, setAside } = run.wired;
      return await handle(event, { ports: run.wired, receivers, setAside, log, signal }, run.wired);
    } catch (error) {
      log.failure({ id: name, error });
      throw new TransientError(`${name} failed; the log of request ${awsRequestId} has the error`);
    } finally {
      end?.();
    }
  };
  return middy<Event, Answer>({ timeoutEarlyInMillis: noticeMs, timeoutEarlyResponse: leaveItToTheShell })
    .after(metrics.flush)
    .onError(metrics.flush)
    .handler(handler);
}

/** Never resolves, so that middy does not respond. The shell reports unfinished messages itself. */
function leaveItToTheShell(): Promise<never> {
  return new Promise(() => undefined);
}

/**
 * Returns the result of the work.
 *
 * @throws TransientError if the work does not end soon after the signal has aborted
 */
export async function beforeTheEnd<Answer>(work: Promise<Answer>, signal: AbortSignal): Promise<Answer> {
  let grace: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const tooLate = (): void => {
      grace = setTimeout(() => {
        reject(new TransientError("the run did not end in time"));
      }, graceMs);
    };
    if (signal.aborted) tooLate();
    else signal.addEventListener("abort", tooLate, { once: true });
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(grace);
  }
}

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

/** The signal aborts this long before Lambda ends the run. */
const noticeMs = 1_000;
/** The time for the work to end after the signal; some time then remains for the response. */
const graceMs = 500;

/**
 * Returns the handler of a function. Each run is wired, measured and logged. An error is logged,
 * and replaced by one without details, because Lambda logs all of it.
 */
export function lambdaHandler<Event, Answer>(
  settings: FunctionSettings,
  run: Run<Event, Answer>,
): LambdaHandler<Event, Answer> {
  const { name, environment = process.env } = settings;
  const wire = wiringOf(settings);
  const logOf = lambdaLog(name);
  const metrics = emfMetrics(environment[names.stack] ?? "lookout");
  const handler = async (event: Event, { awsRequestId }: Context, { signal }: { signal: AbortSignal }) => {
    const log = logOf(awsRequestId);
    try {
      const wired = await wire(metrics.port);
      const { receivers, setAside } = wired;
      return await run(event, { ports: wired, receivers, setAside, log, signal }, wired);
    } catch (error) {
      log.failure({ id: name, error });
      throw new TransientError(`${name} failed: the log of ${awsRequestId} says why`);
    }
  };
  return middy<Event, Answer>({ timeoutEarlyInMillis: noticeMs, timeoutEarlyResponse: leaveItToTheShell })
    .after(metrics.flush)
    .onError(metrics.flush)
    .handler(handler);
}

/** The shell of a batch reports its own unfinished messages, so middy must not respond for it. */
function leaveItToTheShell(): Promise<never> {
  return new Promise(() => undefined);
}

/**
 * Returns the result of the work.
 *
 * @throws TransientError when the signal has aborted and the work does not end soon after
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

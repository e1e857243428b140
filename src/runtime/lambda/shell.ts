import middy from "@middy/core";
import type { Context } from "aws-lambda";
import { environment as names } from "#contracts/aws/environment";
import { TransientError } from "#ports/errors";
import type { Invocation } from "../handler.ts";
import { lambdaLog } from "./log.ts";
import { emfMetrics } from "./metrics.ts";
import type { Wired } from "./wiring/part.ts";
import { type FunctionSettings, wiringOf } from "./wiring/wiring.ts";

/** What Lambda calls. */
export type LambdaHandler<Event, Answer> = (event: Event, context: Context) => Promise<Answer>;

/** What a shell runs for each event. */
export type Run<Event, Answer> = (event: Event, invocation: Invocation, wired: Wired) => Promise<Answer>;

/** When the signal aborts, before Lambda ends the run. */
const noticeMs = 1_000;
/** How long what heeds the signal may take to end; then there is still time to answer. */
const graceMs = 500;

/**
 * Makes the handler of a function from what its shell runs: wired before the run, measured and logged after it.
 *
 * What throws is logged as a failure, and thrown on without what it holds: Lambda logs all of it.
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

/** A batch answers for what is done when its time ends, and nothing else may answer for it. */
function leaveItToTheShell(): Promise<never> {
  return new Promise(() => undefined);
}

/**
 * Answers what the work answers.
 *
 * @throws TransientError when the signal has aborted and the work does not end soon after.
 */
export async function beforeTheEnd<Answer>(work: Promise<Answer>, signal: AbortSignal): Promise<Answer> {
  let grace: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const tooLate = (): void => {
      grace = setTimeout(() => {
        reject(new TransientError("it did not end in its time"));
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

import type { ScheduleFunction } from "../handler.ts";
import { beforeTheEnd, lambdaHandler, type LambdaHandler } from "./shell.ts";
import type { FunctionSettings } from "./wiring/wiring.ts";

/** Runs a function for its schedule, and ignores the event. */
export function scheduleShell(run: ScheduleFunction, settings: FunctionSettings): LambdaHandler<unknown, undefined> {
  return lambdaHandler(settings, async (_event, invocation) => {
    await beforeTheEnd(run(invocation), invocation.signal);
    return undefined;
  });
}

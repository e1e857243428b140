import type { APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import type { Log, RequestFunction } from "../handler.ts";
import { callerHeader, failedAnswer, refuse } from "../request.ts";
import { answerTo, type HttpEvent, resultOf } from "./http-event.ts";
import { beforeTheEnd, lambdaHandler, type LambdaHandler } from "./shell.ts";
import type { FunctionSettings } from "./wiring/wiring.ts";

/**
 * Runs a function for HTTP requests. Whom IAM has proved the caller to be stands in a header of the request, which nobody else can set.
 *
 * A function for people and their tools (`api/`) is not run for a caller whom IAM has not proved. A request is logged once: by the function, or else here.
 */
export function requestShell(
  run: RequestFunction,
  settings: FunctionSettings,
): LambdaHandler<HttpEvent, APIGatewayProxyStructuredResultV2> {
  // Receivers know their senders by a signature; everyone else is let in by IAM alone, whatever way leads here.
  const isForPeople = settings.name.startsWith("api/");
  return lambdaHandler(settings, async (event, invocation) => {
    const { method, path } = event.requestContext.http;
    const id = `${method} ${path}`;
    const log = counting(invocation.log);
    const response = await answerTo(event, async (request) =>
      isForPeople && !request.headers.has(callerHeader)
        ? refuse(403, "no-caller", "IAM did not prove who asks: the way to this function has no IAM authorizer")
        : beforeTheEnd(run(request, { ...invocation, log }), invocation.signal),
    ).catch((error: unknown) => {
      log.failure({ id, error });
      return failedAnswer(error);
    });
    if (log.entries() === 0) log.outcome({ id, outcome: { kind: "answered", status: response.status } });
    return resultOf(response);
  });
}

function counting(log: Log): Log & { entries(): number } {
  let entries = 0;
  return {
    outcome(entry) {
      entries += 1;
      log.outcome(entry);
    },
    failure(entry) {
      entries += 1;
      log.failure(entry);
    },
    entries: () => entries,
  };
}

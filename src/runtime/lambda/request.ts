import type { APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import type { Log, RequestFunction } from "../handler.ts";
import { callerHeader, failedAnswer, problemResponse } from "../request.ts";
import { answerTo, type HttpEvent, resultOf } from "./http-event.ts";
import { beforeTheEnd, lambdaHandler, type LambdaHandler } from "./shell.ts";
import type { FunctionSettings } from "./wiring/wiring.ts";

/**
 * Runs a function for HTTP requests. A header that callers can't set holds the identity that IAM
 * has proved.
 *
 * A function of `api/` does not run without that identity. Each request has at least one log line.
 */
export function requestShell(
  run: RequestFunction,
  settings: FunctionSettings,
): LambdaHandler<HttpEvent, APIGatewayProxyStructuredResultV2> {
  // Webhooks are authenticated by their receiver's secret, and all other requests by IAM.
  const isForPeople = settings.name.startsWith("api/");
  return lambdaHandler(settings, async (event, invocation) => {
    const { method, path } = event.requestContext.http;
    const id = `${method} ${path}`;
    const log = counting(invocation.log);
    const response = await answerTo(event, async (request) =>
      isForPeople && !request.headers.has(callerHeader)
        ? problemResponse(
            "no-caller",
            "IAM did not authenticate the caller: the route to this function has no IAM authorizer",
          )
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

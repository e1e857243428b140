import { App, Stack } from "aws-cdk-lib";
import { Code, Function, Runtime } from "aws-cdk-lib/aws-lambda";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import { Queue } from "aws-cdk-lib/aws-sqs";
import { functionName, type Route, routes } from "#contracts/routes";
import type { Watched } from "../../lib/watched.ts";

const all: readonly Route[] = routes;

/** A stack called `Lookout` that has the functions of the route table, their dead letters and their queues, and nothing else. */
export function watchedStack(): { readonly stack: Stack; readonly watched: Watched } {
  const stack = new Stack(new App(), "Lookout");
  const functions = all.map((route) => {
    const name = functionName(route);
    const id = name.replace("/", "-");
    return {
      route,
      name,
      lambda: new Function(stack, id, {
        runtime: Runtime.NODEJS_24_X,
        handler: "index.handler",
        code: Code.fromInline("-"),
      }),
      deadLetters: new Queue(stack, `${id}-DeadLetters`),
      log: new LogGroup(stack, `${id}-Log`),
    };
  });
  const queues = all.flatMap(({ trigger }) => {
    if (trigger.kind === "command") return [new Queue(stack, trigger.command)];
    return trigger.kind === "event" || trigger.kind === "given-up" ? [new Queue(stack, trigger.kind)] : [];
  });
  return { stack, watched: { functions, queues } };
}

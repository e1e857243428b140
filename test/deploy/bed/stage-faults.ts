import type { AwsFault, FailingCalls } from "./emulator.ts";

/** A transient error of AWS in one stage of an update. */
export interface StageFault extends Omit<FailingCalls, "about"> {
  /** The function that meets the error, and what it asks for. */
  readonly what: string;
  /** A text in the failing request, besides the names of the Deployment or its repository. */
  readonly with: string;
  /** How the update comes: by a push to ECR, at once or held by a minimum age, or by a webhook. */
  readonly comes: "pushed" | "aged" | "notified";
}

const serverError: AwsFault = { status: 500, code: "InternalServerError" };
const unavailable: AwsFault = { status: 503, code: "ServiceUnavailable" };
const throttled: AwsFault = { status: 400, code: "ThrottlingException" };
const noThroughput: AwsFault = { status: 400, code: "ProvisionedThroughputExceededException" };
const conflict: AwsFault = { status: 400, code: "TransactionCanceledException" };
const noQueue: AwsFault = { status: 403, code: "RequestThrottled" };
const broken: AwsFault = { status: 200, code: "", isBroken: true };

/** The attempts of a client. If all fail, the run of the function fails. */
const attempts = 3;

/** A request of a function: to which service, and a text in it. */
type Asked = Pick<StageFault, "what" | "function" | "operation"> & Partial<Pick<StageFault, "with" | "comes">>;

const usual = { with: "", comes: "pushed", lands: false } as const;
/** Fails once, and the client of AWS asks again. */
const call = (error: AwsFault, asked: Asked): StageFault => ({ ...usual, ...asked, error, times: 1 });
/** Fails with all attempts, so that the message is delivered again. */
const run = (error: AwsFault, asked: Asked): StageFault => ({ ...usual, ...asked, error, times: attempts });
/** Has its effect, and loses its answer. */
const lost = (fault: StageFault): StageFault => ({ ...fault, lands: true });

const webhook = { function: "detectregistrywebhook", comes: "notified" } as const;
const pushed = { function: "evaluateimagepushed" } as const;
const wake = { function: "gatewake", comes: "aged" } as const;
const evaluate = { function: "evaluateevaluateworkload", comes: "aged" } as const;
const rollOut = { function: "rolloutrollout" } as const;
const check = { function: "verifycheckrollout" } as const;
const changed = { function: "notifystatechanged" } as const;

/** One error of each form in each stage, in the order of the flow. */
export const stageFaults: readonly StageFault[] = [
  call(serverError, { ...webhook, what: "registry-webhook, event", operation: "events:PutEvents" }),
  call(noThroughput, { ...pushed, what: "image-pushed, marker", operation: "dynamodb:UpdateItem" }),
  run(unavailable, { ...pushed, what: "image-pushed, subscribers", operation: "dynamodb:Query" }),
  call(serverError, { ...pushed, what: "image-pushed, registry", operation: "ecr:BatchGetImage" }),
  call(conflict, { ...pushed, what: "image-pushed, record", operation: "dynamodb:TransactWriteItems" }),
  run(serverError, { ...pushed, what: "image-pushed, record", operation: "dynamodb:TransactWriteItems" }),
  lost(run(serverError, { ...pushed, what: "image-pushed, record", operation: "dynamodb:TransactWriteItems" })),
  run(noQueue, { ...pushed, what: "image-pushed, command", operation: "sqs:SendMessageBatch" }),
  lost(call(broken, { ...pushed, what: "image-pushed, command", operation: "sqs:SendMessageBatch" })),
  call(throttled, { ...wake, what: "wake, record", operation: "dynamodb:GetItem" }),
  run(unavailable, { ...wake, what: "wake, command", operation: "sqs:SendMessageBatch" }),
  call(noThroughput, { ...evaluate, what: "evaluate-workload, record", operation: "dynamodb:GetItem" }),
  lost(run(unavailable, { ...evaluate, what: "evaluate-workload, record", operation: "dynamodb:TransactWriteItems" })),
  run(throttled, { ...rollOut, what: "roll-out, record", operation: "dynamodb:GetItem" }),
  run(serverError, { ...rollOut, what: "roll-out, intent", operation: "dynamodb:PutItem", with: "patching" }),
  lost(run(serverError, { ...rollOut, what: "roll-out, intent", operation: "dynamodb:PutItem", with: "patching" })),
  run(unavailable, { ...rollOut, what: "roll-out, result", operation: "dynamodb:PutItem", with: "rolling-out" }),
  lost(call(broken, { ...rollOut, what: "roll-out, result", operation: "dynamodb:PutItem", with: "rolling-out" })),
  call(noQueue, { ...rollOut, what: "roll-out, command", operation: "sqs:SendMessageBatch" }),
  run(noThroughput, { ...check, what: "check-rollout, record", operation: "dynamodb:GetItem" }),
  call(conflict, { ...check, what: "check-rollout, end", operation: "dynamodb:TransactWriteItems" }),
  lost(run(serverError, { ...check, what: "check-rollout, end", operation: "dynamodb:TransactWriteItems" })),
  run(serverError, { ...changed, what: "state-changed, history", operation: "dynamodb:PutItem" }),
  run(unavailable, { ...changed, what: "state-changed, facts", operation: "events:PutEvents" }),
  lost(call(broken, { ...changed, what: "state-changed, facts", operation: "events:PutEvents" })),
];

const throttles: ReadonlySet<AwsFault> = new Set([throttled, noThroughput, noQueue]);

/**
 * Returns the longest time until the patch, in milliseconds. Between three attempts, AWS's clients
 * wait up to three seconds for the end of a throttling.
 */
export function mostMsOf({ error, times }: StageFault): number {
  return throttles.has(error) && times === attempts ? 6_000 : 4_000;
}

/** Returns the name of a row in tables. */
export function nameOf({ what, error: { code, isBroken }, times, lands }: StageFault): string {
  const said = isBroken ? "broken connection" : code;
  return [what, said, ...(times > 1 ? ["whole run"] : []), ...(lands ? ["landed"] : [])].join(", ");
}

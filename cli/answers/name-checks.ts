import { longestQueueName, networkCommands, networkQueueName } from "#contracts/config/networks";
import type { AccountFacts } from "#runtime/account-facts";
import { type DeployCheck, refusedCheck } from "./deploy-check.ts";

/** Returns the names of the queues in VPCs. The stack names no other queue itself. */
export function queueNames(stack: string, vpcs: readonly string[]): readonly string[] {
  return vpcs.flatMap((vpc) => networkCommands.map((command) => networkQueueName(stack, command, vpc)));
}

interface NamedQueues {
  readonly stack: string;
  readonly region: string;
  readonly names: readonly string[];
  /** The URLs of the stack's queues. Absent if they are unknown. */
  readonly ownUrls?: ReadonlySet<string>;
}

/** Returns the check of the queues' names, and of queues that have such a name already. */
export function namesBeforeDeploy(
  { stack, region, names, ownUrls }: NamedQueues,
  queues: AccountFacts["queues"],
): readonly DeployCheck[] {
  const check = "names";
  if (names.length === 0) return [];
  const tooLong = names.filter((name) => name.length > longestQueueName);
  const over = Math.max(...names.map((name) => name.length)) - longestQueueName;
  if (tooLong[0] !== undefined)
    return [
      {
        check,
        verdict: "wrong",
        detail: `the name of the queue ${tooLong[0]} has over ${longestQueueName} characters`,
        remedy: `Give the stack a name of at most ${stack.length - over} characters: LOOKOUT_STACK=NAME`,
      },
    ];
  const refused = queues.find((queue) => queue.kind !== "there" && queue.kind !== "missing");
  if (refused !== undefined)
    return [
      refusedCheck({ check, what: "the queues in VPCs", service: "SQS", region, right: "sqs:GetQueueUrl" }, refused),
    ];
  const foreign = queues.flatMap((queue) =>
    queue.kind === "there" && ownUrls?.has(queue.url) !== true ? [queue.url] : [],
  );
  if (foreign[0] === undefined)
    return [
      {
        check,
        verdict: "well",
        detail: `${names.length} queues in VPCs have free names of at most ${longestQueueName} characters`,
      },
    ];
  if (ownUrls === undefined)
    return [
      {
        check,
        verdict: "unchecked",
        detail: "the queues in VPCs exist, and their stack is unknown",
        remedy: "You need cloudformation:ListStackResources. Run the command again with this right.",
      },
    ];
  return [
    {
      check,
      verdict: "wrong",
      detail: `${foreign.length} queues of these names exist outside of the stack, such as ${foreign[0]}`,
      remedy: `If nothing uses them, delete them:  aws sqs delete-queue --region ${region} --queue-url ${foreign[0]} · Or choose another stack name.`,
    },
  ];
}

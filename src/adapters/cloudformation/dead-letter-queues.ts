import { routes } from "#contracts/routes";
import type { AwsRefusal } from "../shared/aws-errors.ts";
import type { UserOptions } from "../shared/aws.ts";
import { listResources } from "./resources.ts";

/** The URLs of a stack's dead-letter queues, in no order. */
export type DeadLetterQueues = { readonly kind: "queues"; readonly urls: readonly string[] } | AwsRefusal;

/**
 * The part of each queue's logical id that names its function. Logical ids have only letters and
 * digits.
 */
const idParts = routes.map(({ stage, name }) => `${stage}${name}DeadLetters`.replaceAll("-", ""));

/**
 * Lists Lookout's dead-letter queues of a stack. The stack may hold queues of other programs too.
 */
export async function listDeadLetterQueues(stack: string, options: UserOptions): Promise<DeadLetterQueues> {
  const read = await listResources(stack, options);
  if (read.kind !== "resources") return read;
  const own = read.all.filter(
    ({ type, id }) => type === "AWS::SQS::Queue" && idParts.some((part) => id.includes(part)),
  );
  return { kind: "queues", urls: own.map(({ physicalId }) => physicalId) };
}

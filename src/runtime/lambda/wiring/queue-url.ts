import { queueVariable } from "#contracts/environment";
import type { Command } from "#domain/work";
import { type Environment, variable } from "./part.ts";

/**
 * Answers where a command is sent to.
 *
 * @throws PermanentError when this function may not send the command.
 */
export function queueUrl(environment: Environment, command: Command): string {
  return variable(
    environment,
    queueVariable(command),
    `the construct of the queues sets it on functions that send ${command}`,
  );
}

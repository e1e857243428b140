/**
 * Trigger  Wake on its queue, usually delayed.
 * Emits    EvaluateWorkload, Wake, AskChecks, RollOut, CheckRollout, ShowAvailable.
 * Retry    The queue delivers five times. Safe to repeat: a command applies to one version of a record.
 */
import { wake } from "#app/gate/wake";
import { onCommands } from "#runtime/handler";

export const handler = onCommands({ Wake: wake });

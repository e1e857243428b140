/**
 * Trigger  AskChecks on its queue.
 * Emits    EvaluateWorkload, Wake, AskChecks, RollOut, CheckRollout, ShowAvailable.
 * Retry    The queue delivers five times. Safe to repeat: a stored answer is not asked for again.
 */
import { askChecks } from "#app/gate/ask-checks";
import { onCommands } from "#runtime/handler";

export const handler = onCommands({ AskChecks: askChecks });

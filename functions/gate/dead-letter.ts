/**
 * Trigger  The queue of dead letters: messages that failed five times in another function.
 * Emits    EvaluateWorkload, Wake, AskChecks, RollOut, CheckRollout, ShowAvailable.
 * Retry    The queue delivers five times, then for hours. Safe to repeat: a command applies to one version of a record.
 */
import { handleDeadLetter } from "#app/gate/dead-letter";
import { onDeadLetter } from "#runtime/handler";

export const handler = onDeadLetter(handleDeadLetter);

/**
 * Trigger  Queue of dead letters: messages that failed five times elsewhere.
 * Emits    EvaluateWorkload, Wake, RollOut, CheckRollout.
 * Retry    The queue, five times. Safe to repeat: it applies to one version of the record.
 */
import { handleDeadLetter } from "#app/gate/dead-letter";
import { onDeadLetter } from "#runtime/handler";

export const handler = onDeadLetter(handleDeadLetter);

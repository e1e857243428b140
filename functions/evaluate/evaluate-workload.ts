/**
 * Trigger  EvaluateWorkload on its queue.
 * Emits    EvaluateWorkload, Wake, AskChecks, RollOut, CheckRollout, ShowAvailable, facts.
 * Retry    The queue delivers five times. Safe to repeat: the same desired image causes no new update.
 */
import { evaluateWorkload } from "#app/evaluate/evaluate-workload";
import { onCommands } from "#runtime/handler";

export const handler = onCommands({ EvaluateWorkload: evaluateWorkload });

/**
 * Trigger  RollOut and ShowAvailable on its queue.
 * Emits    EvaluateWorkload, Wake, AskChecks, RollOut, CheckRollout, ShowAvailable.
 * Retry    The queue delivers five times. Safe to repeat: the update label shows whether a patch landed.
 */
import { rollOut } from "#app/rollout/roll-out";
import { showAvailable } from "#app/rollout/show-available";
import { onCommands } from "#runtime/handler";

export const handler = onCommands({ RollOut: rollOut, ShowAvailable: showAvailable });

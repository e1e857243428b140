/**
 * Trigger  RollOut on its queue.
 * Emits    EvaluateWorkload, Wake, RollOut, CheckRollout.
 * Retry    The queue, five times. Safe to repeat: the label on the object shows whether the patch landed.
 */
import { rollOut } from "#app/rollout/roll-out";
import { onCommand } from "#runtime/handler";

export const handler = onCommand("RollOut", rollOut);

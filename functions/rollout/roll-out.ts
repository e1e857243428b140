/**
 * Trigger  RollOut on its queue.
 * Emits    EvaluateWorkload, Wake, RollOut, CheckRollout.
 * Retry    The queue delivers five times. Safe to repeat: the update label shows whether a patch landed.
 */
import { rollOut } from "#app/rollout/roll-out";
import { onCommand } from "#runtime/handler";

export const handler = onCommand("RollOut", rollOut);

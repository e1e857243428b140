/**
 * Trigger  CheckRollout on its queue, delayed.
 * Emits    EvaluateWorkload, Wake, RollOut, CheckRollout.
 * Retry    The queue, five times. Safe to repeat: it applies to one version of the record.
 */
import { checkRollout } from "#app/verify/check-rollout";
import { onCommand } from "#runtime/handler";

export const handler = onCommand("CheckRollout", checkRollout);

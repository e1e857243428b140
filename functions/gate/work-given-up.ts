/**
 * Trigger  Work that its queue gave up after five deliveries.
 * Emits    EvaluateWorkload, Wake, RollOut, CheckRollout.
 * Retry    The queue, five times. Safe to repeat: it applies to one version of the record.
 */
import { giveUp } from "#app/gate/wake";
import { onGivenUp } from "#runtime/handler";

export const handler = onGivenUp(giveUp);

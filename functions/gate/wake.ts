/**
 * Trigger  Wake on its queue, mostly a timer.
 * Emits    EvaluateWorkload, Wake, RollOut, CheckRollout.
 * Retry    The queue, five times. Safe to repeat: it applies to one version of the record.
 */
import { wake } from "#app/gate/wake";
import { onCommand } from "#runtime/handler";

export const handler = onCommand("Wake", wake);

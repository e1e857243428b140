/**
 * Trigger  Wake on its queue, usually delayed.
 * Emits    EvaluateWorkload, Wake, RollOut, CheckRollout.
 * Retry    The queue delivers five times. Safe to repeat: a command applies to one version of a record.
 */
import { wake } from "#app/gate/wake";
import { onCommand } from "#runtime/handler";

export const handler = onCommand("Wake", wake);

/**
 * Trigger  Schedule, each minute.
 * Emits    EvaluateWorkload, Wake, RollOut, CheckRollout.
 * Retry    The next minute. Safe to repeat: each command applies to one version of a record.
 */
import { reap } from "#app/gate/reap";
import { onSchedule } from "#runtime/handler";

export const handler = onSchedule("reap", reap);

/**
 * Trigger  Schedule, every minute.
 * Emits    EvaluateWorkload, Wake, AskChecks, RollOut, CheckRollout.
 * Retry    The next schedule retries. Safe to repeat: a command applies to one version of a record.
 */
import { reap } from "#app/gate/reap";
import { onSchedule } from "#runtime/handler";

export const handler = onSchedule("reap", reap);

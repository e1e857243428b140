/**
 * Trigger  CheckRollout on its queue, usually delayed. A failed rollout is rolled back here.
 * Emits    EvaluateWorkload, Wake, AskChecks, RollOut, CheckRollout, ShowAvailable.
 * Retry    The queue delivers five times. Safe to repeat: a command applies to one version of a record.
 */
import { checkRollout } from "#app/verify/check-rollout";
import { onCommands } from "#runtime/handler";

export const handler = onCommands({ CheckRollout: checkRollout });

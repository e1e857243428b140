/**
 * Trigger  SyncCluster on its queue.
 * Emits    EvaluateWorkload, Wake, CheckRollout.
 * Retry    The queue delivers five times, then the schedule. Safe to repeat: a sync writes no record.
 */
import { syncCluster } from "#app/detect/sync-cluster";
import { onCommands } from "#runtime/handler";

export const handler = onCommands({ SyncCluster: syncCluster });

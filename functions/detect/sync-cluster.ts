/**
 * Trigger  SyncCluster on its queue.
 * Emits    EvaluateWorkload, Wake, CheckRollout.
 * Retry    The queue, five times; then the next schedule. Safe to repeat: it compares and writes no record.
 */
import { syncCluster } from "#app/detect/sync-cluster";
import { onCommand } from "#runtime/handler";

export const handler = onCommand("SyncCluster", syncCluster);

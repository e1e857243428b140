/**
 * Trigger  Schedule, every minute.
 * Emits    SyncCluster.
 * Retry    The next schedule retries. Safe to repeat: an extra sync changes nothing.
 */
import { syncDue } from "#app/detect/sync-cluster";
import { onSchedule } from "#runtime/handler";

export const handler = onSchedule("sync-due", syncDue);

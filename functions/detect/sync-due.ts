/**
 * Trigger  Schedule, every minute.
 * Emits    SyncCluster.
 * Retry    The next schedule. Safe to repeat: a look too many changes nothing.
 */
import { syncDue } from "#app/detect/sync-cluster";
import { onSchedule } from "#runtime/handler";

export const handler = onSchedule("sync-due", syncDue);

/**
 * Trigger  Schedule, every minute.
 * Emits    SweepRepository.
 * Retry    The next schedule. Safe to repeat: a sweep that waits for an interval is skipped.
 */
import { sweepDue } from "#app/detect/sweep-repository";
import { onSchedule } from "#runtime/handler";

export const handler = onSchedule("sweep-due", sweepDue);

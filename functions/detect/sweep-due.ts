/**
 * Trigger  Schedule, every minute.
 * Emits    SweepRepository.
 * Retry    The next schedule retries. Safe to repeat: a sweep that a later sweep replaces is skipped.
 */
import { sweepDue } from "#app/detect/sweep-repository";
import { onSchedule } from "#runtime/handler";

export const handler = onSchedule("sweep-due", sweepDue);

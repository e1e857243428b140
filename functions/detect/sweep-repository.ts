/**
 * Trigger  SweepRepository on its queue.
 * Emits    ImagePushed, EvaluateWorkload.
 * Retry    The queue, five times; then the next schedule. Safe to repeat: it writes no record.
 */
import { sweepRepository } from "#app/detect/sweep-repository";
import { onCommand } from "#runtime/handler";

export const handler = onCommand("SweepRepository", sweepRepository);

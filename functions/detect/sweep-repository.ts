/**
 * Trigger  SweepRepository on its queue.
 * Emits    ImagePushed, EvaluateWorkload, facts.
 * Retry    The queue delivers five times, then the schedule. Safe to repeat: a sweep writes no record.
 */
import { sweepRepository } from "#app/detect/sweep-repository";
import { onCommands } from "#runtime/handler";

export const handler = onCommands({ SweepRepository: sweepRepository });

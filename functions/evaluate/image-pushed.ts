/**
 * Trigger  ImagePushed on the bus, from its queue.
 * Emits    ImagePushed, EvaluateWorkload, Wake, AskChecks, RollOut, CheckRollout, ShowAvailable, facts.
 * Retry    The queue delivers five times. Safe to repeat: the same desired image causes no new update.
 */
import { evaluatePush } from "#app/evaluate/image-pushed";
import { onImagePushed } from "#runtime/handler";

export const handler = onImagePushed(evaluatePush);

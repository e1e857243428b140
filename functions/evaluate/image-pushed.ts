/**
 * Trigger  ImagePushed on the bus.
 * Emits    ImagePushed, EvaluateWorkload, Wake, RollOut, CheckRollout, facts.
 * Retry    The queue retries five times. Safe to repeat: the same desired image proposes nothing new.
 */
import { evaluatePush } from "#app/evaluate/image-pushed";
import { onImagePushed } from "#runtime/handler";

export const handler = onImagePushed(evaluatePush);

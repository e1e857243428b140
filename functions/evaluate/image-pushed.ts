/**
 * Trigger ImagePushed on the bus. Emits ImagePushed, EvaluateWorkload, Wake, RollOut, CheckRollout,
 * facts. Retry The queue retries five times. Safe to repeat: the same desired image causes no new
 * update.
 */
import { evaluatePush } from "#app/evaluate/image-pushed";
import { onImagePushed } from "#runtime/handler";

export const handler = onImagePushed(evaluatePush);

/**
 * Trigger  ANY /webhooks/:receiver, from a registry: POST for pushes, OPTIONS for a handshake.
 * Emits    ImagePushed.
 * Retry    The sender retries. Safe to repeat: a push keeps its id, and Lookout asks the registry again.
 */
import { publishPushes } from "#app/detect/publish-pushes";
import { onNotification } from "#runtime/request";

export const handler = onNotification(publishPushes);

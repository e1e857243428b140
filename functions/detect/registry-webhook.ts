/**
 * Trigger  POST and OPTIONS /webhooks/:receiver, from a registry: pushes, and a handshake before them.
 * Emits    ImagePushed.
 * Retry    The sender retries. Safe to repeat: a push keeps its id, and Lookout asks the registry again.
 */
import { publishPushes } from "#app/detect/publish-pushes";
import { onNotification } from "#runtime/request";

export const handler = onNotification(publishPushes);

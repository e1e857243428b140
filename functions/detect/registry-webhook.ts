/**
 * Trigger  ANY /webhooks/:receiver, from a registry: POST, and OPTIONS where it asks before it sends.
 * Emits    ImagePushed.
 * Retry    The sender's own. Safe to repeat: the same push has the same id, and the registry is asked again.
 */
import { publishPushes } from "#app/detect/publish-pushes";
import { onNotification } from "#runtime/request";

export const handler = onNotification(publishPushes);

import { readAcrEvent } from "./acr-event.ts";
import { readJson } from "./notice.ts";
import { type NotificationReader, tellEvent } from "./reading.ts";

/** Reads the webhooks of Azure Container Registry. */
export const reader: NotificationReader = {
  read(request, settings) {
    return tellEvent(readAcrEvent(readJson(request)), settings);
  },
};

import { readAcrEvent } from "./acr-event.ts";
import { readJson } from "./notice.ts";
import { type NotificationReader, eventPush } from "./reading.ts";

/** Reads the webhooks of Azure Container Registry. */
export const reader: NotificationReader = {
  read(request, settings) {
    return eventPush(readAcrEvent(readJson(request)), settings);
  },
};

import { assertNever } from "#domain/result";
import type { PushReceiver, PushReceivers } from "#ports/push-receiver";
import { distributionReceiver } from "./distribution.ts";
import { genericReceiver } from "./generic.ts";
import type { ReceiverSettings } from "./settings.ts";

/** The receivers that are configured. Names are unique; of two with one name the last would count. */
export function pushReceivers(all: readonly ReceiverSettings[]): PushReceivers {
  const byName = new Map(all.map((settings) => [settings.name, receiverOf(settings)]));
  return { receiver: (name) => byName.get(name) };
}

function receiverOf(settings: ReceiverSettings): PushReceiver {
  switch (settings.kind) {
    case "distribution":
      return distributionReceiver(settings);
    case "generic":
      return genericReceiver(settings);
    default:
      return assertNever(settings.kind);
  }
}

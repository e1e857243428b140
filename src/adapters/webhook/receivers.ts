import { assertNever } from "#domain/result";
import type { PushReceiver, PushReceivers } from "#ports/push-receiver";
import type { SecretRead } from "#ports/secrets";
import { distributionReceiver } from "./distribution.ts";
import { genericReceiver } from "./generic.ts";
import type { ReceiverSettings } from "./settings.ts";

/** The receivers that are configured. Names are unique; of two with one name the last would count. */
export function pushReceivers(all: readonly ReceiverSettings[]): PushReceivers {
  const byName = new Map(all.map((settings) => [settings.name, receiverOf(settings)]));
  return { receiver: (name) => Promise.resolve(byName.get(name)) };
}

/** The receivers that are configured, whose secrets are read when they are asked for: one that is missing concerns no other. */
export function receiversWithSecrets<Entry extends Omit<ReceiverSettings, "secret">>(
  all: readonly Entry[],
  secretOf: (receiver: Entry) => Promise<SecretRead>,
): PushReceivers {
  const byName = new Map(all.map((settings) => [settings.name, settings]));
  return {
    async receiver(name) {
      const settings = byName.get(name);
      if (settings === undefined) return undefined;
      const read = await secretOf(settings);
      return read.kind === "secret"
        ? receiverOf({ ...settings, secret: read.value })
        : { ...receiverOf({ ...settings, secret: undefined }), trouble: read.why };
    },
  };
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

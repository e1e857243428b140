import type { PushReceiver, Received, ReceivedRequest } from "#ports/push-receiver";
import * as z from "zod/mini";
import { refuseAuthorization } from "./authentication.ts";
import { readEvent } from "./distribution-event.ts";
import { readJson, withoutRepeats } from "./notice.ts";
import type { ReceiverSettings } from "./settings.ts";

const Envelope = z.object({ events: z.array(z.unknown()) });

/**
 * Reads the notifications of the distribution registry and of registries built on it (GitLab's, self-managed).
 *
 * Of an envelope only pushes of manifests and indexes count. Events that can't be used are passed over when others of the same
 * envelope can; an envelope with nothing but such is invalid, and its registry would repeat it without end.
 *
 * @see https://distribution.github.io/distribution/about/notifications/
 */
export function distributionReceiver(settings: ReceiverSettings): PushReceiver {
  return {
    source: "webhook distribution",
    receive(request) {
      const refusal = refuseAuthorization(request, settings.secret);
      return refusal === undefined ? read(request, settings) : { kind: "unauthorized", reason: refusal };
    },
  };
}

function read(request: ReceivedRequest, settings: ReceiverSettings): Received {
  if (request.method !== "POST") return invalid("expected a POST");
  const envelope = Envelope.safeParse(readJson(request));
  if (!envelope.success) return invalid('expected {"events": […]} as JSON');
  const readings = envelope.data.events.map((event) => readEvent(event, settings.registry));
  const pushes = readings.flatMap((reading) => (reading.kind === "push" ? [reading.push] : []));
  if (pushes.length > 0) return { kind: "pushes", pushes: withoutRepeats(pushes) };
  for (const [index, reading] of readings.entries()) {
    if (reading.kind === "malformed") return invalid(`events[${index}]: ${reading.reason}`);
  }
  return { kind: "ignored", reason: `no push of a manifest among ${readings.length} events` };
}

function invalid(reason: string): Received {
  return { kind: "invalid", reason, retriedForEver: true };
}

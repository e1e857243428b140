import { verdictOf } from "#domain/notify/filter";
import type { AnyFact } from "#domain/update/events";
import type { Channels } from "#ports/channels";
import type { OutgoingCommand } from "#ports/messaging";

/** Returns the deliveries of facts to the channels that tell them. On AWS, rules of the bus do this. */
export function deliveriesOf(facts: readonly AnyFact[], channels: Channels): readonly OutgoingCommand[] {
  return facts.flatMap((fact) =>
    channels
      .all()
      .filter(({ filter, name }) => verdictOf(filter, name, fact) !== undefined)
      .map(({ name }) => ({ command: { name: "Deliver" as const, channel: name, fact } })),
  );
}

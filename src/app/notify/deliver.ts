import { verdictOf } from "#domain/notify/filter";
import type { Deliver } from "#domain/update/commands";
import type { Channel } from "#ports/channels";
import type { Ports } from "../shared/ports.ts";
import { comeAt, postpone, type Postponed, send } from "./sending.ts";
import { showIncident } from "./show-incident.ts";
import { showUpdates } from "./show-updates.ts";
import type { Shown } from "./told-message.ts";

/** The outcome of a delivery. */
export type DeliverOutcome = Postponed | Shown | { readonly kind: "told" | "ignored" | "unknown-channel" };

/** Tells a channel of one fact, or shows what changed since its last message. */
export async function deliver(command: Deliver, ports: Ports): Promise<DeliverOutcome> {
  const channel = ports.channels.channel(command.channel);
  // The entry was removed while its deliveries waited.
  if (channel === undefined) return { kind: "unknown-channel" };
  const { notBefore: at } = command;
  if (at !== undefined && at > ports.clock.now()) {
    await comeAt(at, command, ports);
    return { kind: "gathered", at };
  }
  const verdict = verdictOf(channel.filter, channel.name, command.fact);
  if (verdict === undefined) return { kind: "ignored" };
  const { form } = channel.filter;
  if (form === "facts") return tellFact(command, channel, ports);
  const asked = { command, channel, verdict };
  return form === "updates" ? showUpdates(asked, ports) : showIncident(asked, ports);
}

async function tellFact(command: Deliver, channel: Channel, ports: Ports): Promise<DeliverOutcome> {
  const answer = await send(channel, "facts", (sender) => sender.tell(command.fact, ports.clock.now()), ports);
  return answer.kind === "told" ? { kind: "told" } : postpone(command, channel, answer, ports);
}

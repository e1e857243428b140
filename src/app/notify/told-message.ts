import { sha256 } from "#domain/shared/sha256";
import { type EpochMs, plus } from "#domain/shared/time";
import type { Deliver } from "#domain/update/commands";
import { claimFor, type Subject, type ToldMessage } from "#domain/notify/told";
import type { Answer, Channel } from "#ports/channels";
import { TransientError } from "#ports/errors";
import type { Ports } from "../shared/ports.ts";
import { comeAt } from "./sending.ts";

/** A delivery to a channel, and what its fact does there. */
export interface Asked {
  readonly command: Deliver;
  readonly channel: Channel;
  readonly verdict: "opens" | "follows";
}

/** What happened to the message of a subject. */
export type Shown =
  | { readonly kind: "shown" | "unchanged" | "ignored" }
  /** A delayed delivery shows it. */
  | { readonly kind: "gathered"; readonly at: EpochMs };

/** The ports of messages that are kept true. */
export type TellingPorts = Pick<Ports, "told" | "channelStates" | "clock" | "metrics" | "queues" | "ledger" | "pushes">;

/** Returns the hash of what a message shows. */
export function hashOf(message: object): string {
  return sha256(JSON.stringify(message)).slice(0, 24);
}

/**
 * Lets one run send the message of a subject. Another run waits until it has ended.
 *
 * @returns undefined if another run was first
 */
export async function claim(
  { channel, subject }: { readonly channel: Channel; readonly subject: Subject },
  told: ToldMessage | undefined,
  { told: messages, clock }: Pick<Ports, "told" | "clock">,
): Promise<ToldMessage | undefined> {
  const now = clock.now();
  const { wakeAt: _, ...former } = told ?? {
    ...{ channel: channel.name, subject, version: 0, since: now, showAt: now, shows: 0, failures: [] },
  };
  const claimed = { ...former, version: former.version + 1, claimedUntil: plus(now, claimFor) };
  return (await messages.write(claimed)) ? claimed : undefined;
}

/**
 * Stores the next version of a message that this run has claimed.
 *
 * @throws TransientError if the claim was over, and another run sends the message
 */
export async function keep(told: ToldMessage, { told: messages }: Pick<Ports, "told">): Promise<ToldMessage> {
  const next = { ...told, version: told.version + 1 };
  if (await messages.write(next)) return next;
  throw new TransientError(`another run took the message of channel ${told.channel} over`);
}

/** Returns a message whose sending has ended. It changes again at `showAt` at the earliest. */
export function ended({ claimedUntil: _, ...told }: ToldMessage, showAt: EpochMs): ToldMessage {
  return { ...told, showAt };
}

/** Lets a delivery come again, to show a subject. */
export async function wakeAt(
  at: EpochMs,
  { command, subject }: { readonly command: Deliver; readonly subject: Subject },
  ports: Pick<Ports, "queues" | "clock">,
): Promise<void> {
  await comeAt(at, { ...command, subject }, ports);
}

/** Returns the name of the message after an answer. */
export function referenceAfter(answer: Extract<Answer, { kind: "told" }>, former?: string): { reference?: string } {
  const reference = answer.reference ?? former;
  return reference === undefined ? {} : { reference };
}

import type { EpochMs } from "#domain/shared/time";

/** A message that is kept back: what is in a queue, or in a one-shot schedule, until it may be worked on. */
export interface Envelope {
  /** Who gets the message earlier sends it again. */
  readonly notBefore: EpochMs;
  readonly body: string;
  /** Whom it is for: the group of the fair queue. */
  readonly group: string;
}

/** Writes a message that is kept back. The same one always gives the same text. */
export function sealEnvelope({ notBefore, body, group }: Envelope): string {
  return JSON.stringify({ notBefore, body, group });
}

import type { EpochMs } from "#domain/shared/time";

/** A delayed message in a queue or a schedule. */
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

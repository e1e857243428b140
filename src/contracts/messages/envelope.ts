import type { EpochMs } from "#domain/shared/time";

/** A delayed message in a queue or a schedule. */
export interface Envelope {
  /** A function that gets the message earlier sends it again. */
  readonly notBefore: EpochMs;
  readonly body: string;
  /** The group of the fair queue. */
  readonly group: string;
}

/** Writes a delayed message. Equal messages have equal texts. */
export function sealEnvelope({ notBefore, body, group }: Envelope): string {
  return JSON.stringify({ notBefore, body, group });
}

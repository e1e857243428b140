import type { EpochMs } from "#domain/shared/time";

/** A delayed message in a queue or a schedule. */
export interface Envelope {
  /**
   * The earliest time of processing. A function that receives the message earlier sends it again.
   */
  readonly notBefore: EpochMs;
  readonly body: string;
  /** The group of the fair queue. */
  readonly group: string;
}

/** Returns a delayed message as text. Equal messages have equal texts. */
export function sealEnvelope({ notBefore, body, group }: Envelope): string {
  return JSON.stringify({ notBefore, body, group });
}

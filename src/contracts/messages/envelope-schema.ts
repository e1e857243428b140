import * as z from "zod/mini";
import { parseJson } from "#domain/shared/json";
import type { EpochMs } from "#domain/shared/time";
import type { Envelope } from "./envelope.ts";

const envelopeSchema = z.object({
  notBefore: z.pipe(
    z.number(),
    z.transform((value) => value as EpochMs),
  ),
  body: z.string(),
  group: z.string(),
}) satisfies z.ZodMiniType<Envelope>;

/** Parses an envelope of `sealEnvelope`. Returns undefined for any other message. */
export function openEnvelope(text: string): Envelope | undefined {
  return envelopeSchema.safeParse(parseJson(text)).data;
}

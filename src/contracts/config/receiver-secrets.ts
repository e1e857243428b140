import * as z from "zod";
import type { ReceiverConfiguration } from "./configuration.ts";
import { receiverSecretPlace, type SecretPlace } from "./secret-places.ts";

/** The place of a receiver's secret. */
export interface ReceiverSecret {
  readonly receiver: string;
  readonly place: SecretPlace;
}

const receiverSecrets = z.array(
  z.object({
    receiver: z.string(),
    place: z.union([z.object({ parameter: z.string() }), z.object({ secret: z.string() })]),
  }),
);

/** Returns the receivers with a secret. Receivers that accept tokens have none. */
export function withSecret(receivers: readonly ReceiverConfiguration[]): readonly ReceiverConfiguration[] {
  return receivers.filter(({ tokens }) => tokens === undefined);
}

/**
 * Writes the places of all receivers' secrets, for a stack output; {@link receiverSecretsOf} parses
 * it.
 */
export function receiverSecretsText(receivers: readonly ReceiverConfiguration[], stack: string): string {
  const all: readonly ReceiverSecret[] = withSecret(receivers).map((receiver) => ({
    receiver: receiver.name,
    place: receiverSecretPlace(receiver, stack),
  }));
  return JSON.stringify(all);
}

/** Parses the places of a stack's receiver secrets; none when the output is absent. */
export function receiverSecretsOf(output = "[]"): readonly ReceiverSecret[] {
  return receiverSecrets.parse(JSON.parse(output));
}

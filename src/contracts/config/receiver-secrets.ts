import * as z from "zod";
import type { ReceiverConfiguration } from "./configuration.ts";
import { placeInAws, receiverSecret, secretOf, type SecretPlace } from "./secret-places.ts";

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

/**
 * Returns the places of all receivers' secrets as the text of a stack output. {@link
 * receiverSecretsOf} parses this text.
 */
export function receiverSecretsText(receivers: readonly ReceiverConfiguration[], stack: string): string {
  const all: readonly ReceiverSecret[] = receivers
    .map((receiver) => secretOf(receiverSecret, receiver))
    .filter(({ ref }) => ref !== undefined)
    .map((secret) => ({ receiver: secret.owner, place: placeInAws(secret, stack) }));
  return JSON.stringify(all);
}

/** Parses the places of a stack's receiver secrets. An absent output means no secrets. */
export function receiverSecretsOf(output = "[]"): readonly ReceiverSecret[] {
  return receiverSecrets.parse(JSON.parse(output));
}

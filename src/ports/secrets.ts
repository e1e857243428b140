/**
 * A secret, or the reason of its absence. `why` names the secret and the remedy, and never holds a
 * value.
 */
export type SecretRead =
  | { readonly kind: "secret"; readonly value: string }
  /** The secret does not exist, is denied or is empty. A user must act. */
  | { readonly kind: "missing"; readonly why: string };

/**
 * Reads a secret by its name in `lookout.yaml`. The value is at most five minutes old. `isFresh`: it
 * is read now.
 *
 * @throws TransientError when a retry may help.
 */
export type ReadSecret = (name: string, isFresh?: boolean) => Promise<SecretRead>;

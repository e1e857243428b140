/** One secret, or why there is none. `why` names it and says what to do; it never holds a secret. */
export type SecretRead =
  | { readonly kind: "secret"; readonly value: string }
  /** It is not there, may not be read, or is empty: a person mends that. */
  | { readonly kind: "missing"; readonly why: string };

/**
 * Reads a secret by the name that `lookout.yaml` gives it, as it was at most five minutes ago.
 *
 * @throws TransientError when it may be read the next time.
 */
export type ReadSecret = (name: string) => Promise<SecretRead>;

/** The answer to a value that is not accepted, with the reason. */
export interface Refusal {
  readonly ok: false;
  readonly error: { readonly code: string; readonly message: string };
}

/** Returns the answer to an unacceptable value. */
export function refusal({ code, message }: Refusal["error"]): Refusal {
  return { ok: false, error: { code, message } };
}

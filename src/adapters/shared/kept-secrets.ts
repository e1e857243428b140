import { TransientError } from "#ports/errors";
import type { ReadSecret, SecretRead } from "#ports/secrets";
import { noAnswer } from "./aws-errors.ts";
import { memoizeFor } from "./memoize-for.ts";

const keptMs = 5 * 60_000;
/** Short, because a person is likely to add the missing secret now. */
const missingKeptMs = 10_000;

/** Returns a reader that caches each secret for five minutes, and a missing one for ten seconds. */
export function keptSecrets(read: ReadSecret, monotonicMs = () => performance.now()): ReadSecret {
  const kept = new Map<string, (afresh: boolean) => Promise<SecretRead>>();
  return (name) => {
    const secret =
      kept.get(name) ??
      memoizeFor(() => read(name), {
        keptMs: ({ kind }) => (kind === "secret" ? keptMs : missingKeptMs),
        freshMs: 0,
        monotonicMs,
      });
    kept.set(name, secret);
    return secret(false);
  };
}

/**
 * Returns why a secret was not read.
 *
 * @throws TransientError when a retry may help.
 */
export function notRead(error: unknown, service: string, whenDenied: string): SecretRead {
  const { text, isTransient } = noAnswer(error, service, whenDenied);
  if (isTransient === true) throw new TransientError(text, { cause: error });
  return { kind: "missing", why: text };
}

/** Returns a secret without its final line break, which comes from the file or command that stored it. */
export function withoutLineBreak(text: string): string {
  return text.replace(/\r?\n$/, "");
}

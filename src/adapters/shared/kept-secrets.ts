import { TransientError } from "#ports/errors";
import type { ReadSecret, SecretRead } from "#ports/secrets";
import { noAnswer } from "./aws-errors.ts";
import { memoizeFor } from "./memoize-for.ts";

const keptMs = 5 * 60_000;
/** What was missing is looked for again soon: somebody is likely to be mending it. */
const missingKeptMs = 10_000;

/** Keeps each secret for five minutes; one that is missing for ten seconds. */
export function keptSecrets(read: ReadSecret, monotonicMs = () => performance.now()): ReadSecret {
  const kept = new Map<string, (afresh: boolean) => Promise<SecretRead>>();
  return (name) => {
    const one =
      kept.get(name) ??
      memoizeFor(() => read(name), {
        keptMs: ({ kind }) => (kind === "secret" ? keptMs : missingKeptMs),
        freshMs: 0,
        monotonicMs,
      });
    kept.set(name, one);
    return one(false);
  };
}

/**
 * Says why a secret was not read.
 *
 * @throws TransientError when it may be read the next time.
 */
export function notRead(error: unknown, service: string, whenDenied: string): SecretRead {
  const { text, passing } = noAnswer(error, service, whenDenied);
  if (passing === true) throw new TransientError(text, { cause: error });
  return { kind: "missing", why: text };
}

/** A line break at the end is of the file or the command that the secret was stored from. */
export function withoutLineBreak(text: string): string {
  return text.replace(/\r?\n$/, "");
}

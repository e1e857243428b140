import { TransientError } from "#ports/errors";
import type { ReadSecret, SecretRead } from "#ports/secrets";
import { noAnswer } from "./aws-errors.ts";
import { memoizeFor } from "./memoize-for.ts";

const keptMs = 5 * 60_000;
/**
 * The cache time of a missing secret. This time is short, because a user probably adds the secret
 * soon.
 */
const missingKeptMs = 10_000;

/**
 * Returns a reader that caches a secret for five minutes, and the absence of a secret for ten
 * seconds.
 */
export function keptSecrets(read: ReadSecret, monotonicMs = () => performance.now()): ReadSecret {
  const kept = new Map<string, (afresh: boolean) => Promise<SecretRead>>();
  return (name, isFresh = false) => {
    const secret =
      kept.get(name) ??
      memoizeFor(() => read(name), {
        keptMs: ({ kind }) => (kind === "secret" ? keptMs : missingKeptMs),
        freshMs: 0,
        monotonicMs,
      });
    kept.set(name, secret);
    return secret(isFresh);
  };
}

/** A service of AWS that stores secrets. */
interface SecretService {
  readonly name: string;
  /** The service's word for a secret. */
  readonly noun: string;
  readonly valueOf: (name: string) => Promise<string | undefined>;
  /** The name of the service's error for a missing secret. */
  readonly notFound: string;
  /** The command that stores a secret from its standard input. */
  readonly create: (name: string) => string;
  /** The right that reads a secret. */
  readonly right: string;
}

/**
 * Returns a reader of a service's secrets, which caches them as {@link keptSecrets} does. The final
 * line break of a secret is removed, because it comes from the file or command that stored it.
 *
 * @throws TransientError when a retry may help.
 */
export function secretsOf({ name: service, noun, valueOf, notFound, create, right }: SecretService): ReadSecret {
  return keptSecrets(async (name): Promise<SecretRead> => {
    try {
      const value = (await valueOf(name)) ?? "";
      return value.trim() === ""
        ? { kind: "missing", why: `the ${noun} ${name} of ${service} is empty` }
        : { kind: "secret", value: value.replace(/\r?\n$/, "") };
    } catch (error) {
      if (error instanceof Error && error.name === notFound)
        return { kind: "missing", why: `${service} has no ${noun} ${name}: ${create(name)}` };
      const whenDenied = `${service} denied access to the ${noun} ${name}: allow ${right} on it, and kms:Decrypt on its key`;
      const { text, isTransient } = noAnswer(error, service, whenDenied);
      if (isTransient === true) throw new TransientError(text, { cause: error });
      return { kind: "missing", why: text };
    }
  });
}

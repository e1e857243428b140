import type { ReceiverSettings } from "#adapters/webhook/settings";
import type { Configuration } from "#contracts/config/configuration";
import {
  channelSecret,
  receiverSecret,
  type SecretPlace,
  type SecretRef,
  withoutSecret,
} from "#contracts/config/secret-places";
import { secretsIn } from "#contracts/config/secrets";
import { PermanentError } from "#ports/errors";
import type { SecretRead } from "#ports/secrets";
import { codeOf } from "./system-errors.ts";

/** The variables and files from which a configuration and its secrets are read. */
export interface LocalSources {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Rejects with a system error (`code`) when the file can't be read. */
  readonly readFile: (path: string) => Promise<string>;
}

/** All sources of secrets: variables, files and AWS. */
export interface SecretSources extends LocalSources {
  /** Rejects with a TransientError when a retry may succeed. */
  readonly readInAws: (place: SecretPlace, isFresh?: boolean) => Promise<SecretRead>;
}

/**
 * Returns the secrets of the receivers, and checks that all secrets of a configuration can be read.
 *
 * @throws PermanentError that lists every missing secret with its variable or file
 */
export async function resolveSecrets(
  configuration: Configuration,
  sources: SecretSources,
): Promise<readonly ReceiverSettings[]> {
  const reads = await Promise.all(
    // A channel without its secret stops no other channel, and no update.
    secretsIn(configuration)
      .filter(({ field }) => field !== channelSecret)
      .map(async (secret) => ({ ...secret, read: await readSecret(secret.ref, sources) })),
  );
  const missing = reads.flatMap(({ field, owner, read }) =>
    read.kind === "missing" ? [`  ${read.why}; its content must be ${field.content} ${owner}`] : [],
  );
  if (missing.length > 0)
    throw new PermanentError(["secrets of the configuration are missing:", ...missing].join("\n"));
  const ofReceivers = new Map(
    reads.flatMap(({ field, owner, read }) =>
      field === receiverSecret && read.kind === "secret" ? [[owner, read.value]] : [],
    ),
  );
  return configuration.receivers.map((receiver) => ({
    ...withoutSecret(receiverSecret, receiver),
    secret: ofReceivers.get(receiver.name),
  }));
}

/**
 * Reads a secret at a place of `lookout.yaml`. The answer for an entry without a place is `missing`.
 */
export async function readSecret(
  ref: SecretRef | undefined,
  { environment, readFile, readInAws }: SecretSources,
  isFresh = false,
): Promise<SecretRead> {
  if (ref === undefined) return { kind: "missing", why: "lookout.yaml names no variable and no file" };
  if ("variable" in ref) {
    const value = environment[ref.variable];
    return value === undefined
      ? { kind: "missing", why: `the variable ${ref.variable} is not set` }
      : contentOf(value, `the variable ${ref.variable}`);
  }
  if (!("file" in ref)) return readInAws(ref, isFresh);
  const { file } = ref;
  try {
    // The line break comes from the editor or the command that wrote the file.
    return contentOf((await readFile(file)).replace(/\r?\n$/, ""), `the file ${file}`);
  } catch (error) {
    return { kind: "missing", why: `the file ${file} can't be read (${codeOf(error) ?? "unknown error"})` };
  }
}

function contentOf(value: string, place: string): SecretRead {
  return value.trim() === "" ? { kind: "missing", why: `${place} is empty` } : { kind: "secret", value };
}

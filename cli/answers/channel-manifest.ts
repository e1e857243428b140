import type { ChannelRow } from "#channels/kind";
import { didYouMean, nearest } from "#domain/shared/nearest";
import { exitCodes, Failure } from "../failure.ts";

/** An entry of `channels`. */
interface Entry {
  readonly name: string;
  readonly kind: string;
}

/**
 * Returns the manifest of the app that a channel needs.
 *
 * @param kinds - the table of kinds.
 * @throws Failure for an unknown channel, and for a kind without a manifest.
 */
export function manifestOfChannel(
  name: string,
  entries: readonly Entry[],
  kinds: Readonly<Record<string, Pick<ChannelRow, "kind">>>,
): object {
  const entry = entries.find((one) => one.name === name);
  if (entry === undefined) {
    const names = entries.map((one) => one.name);
    const known = names.length === 0 ? "the file has no channels" : `known are ${names.join(", ")}`;
    throw new Failure(
      exitCodes.wrongInput,
      `No channel is called ${name}; ${known}${didYouMean(nearest(name, names))}`,
    );
  }
  const manifest = kinds[entry.kind]?.kind.manifest?.(entry);
  if (manifest !== undefined) return manifest;
  const others = Object.keys(kinds).filter((kind) => kinds[kind]?.kind.manifest !== undefined);
  throw new Failure(
    exitCodes.wrongInput,
    `The channel ${name} is of the kind ${entry.kind}, which needs no app: only ${others.join(", ") || "a bot"} has a manifest.`,
    [`To try the channel:  lookout channel test ${name}`],
  );
}

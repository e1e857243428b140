import type { Configuration } from "#contracts/config/configuration";
import { didYouMean, nearest } from "#domain/shared/nearest";
import { exitCodes, Failure } from "../failure.ts";

/**
 * Returns the manifest of the app that a channel needs.
 *
 * @throws Failure for an unknown channel, and for a kind without a manifest.
 */
export async function manifestOfChannel(name: string, { channels }: Configuration): Promise<object> {
  const entry = channels.find((one) => one.name === name);
  if (entry === undefined) {
    const names = channels.map((one) => one.name);
    const known = names.length === 0 ? "the file has no channels" : `known are ${names.join(", ")}`;
    throw new Failure(
      exitCodes.wrongInput,
      `No channel is called ${name}; ${known}${didYouMean(nearest(name, names))}`,
    );
  }
  const { channelManifest, kindsWithManifest } = await import("#contracts/config/channel-rows");
  const manifest = channelManifest(entry);
  if (manifest !== undefined) return manifest;
  throw new Failure(
    exitCodes.wrongInput,
    `The channel ${name} is of the kind ${entry.kind}, which needs no app: only ${kindsWithManifest.join(", ")} has a manifest.`,
    [`To try the channel:  lookout channel test ${name}`],
  );
}

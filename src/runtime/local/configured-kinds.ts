import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { CustomKindSpec } from "#domain/workload/custom/kind";
import { loadConfiguration } from "./configuration.ts";

/**
 * Returns the kinds of other operators in `lookout.yaml`. The default file is the one of the working
 * directory, if any.
 *
 * @throws PermanentError if the file is invalid
 */
export async function configuredKinds(
  place: { readonly cwd: string; readonly environment: Readonly<Record<string, string | undefined>> },
  file: string | undefined,
): Promise<readonly CustomKindSpec[]> {
  const { configuration } = await loadConfiguration({
    environment: place.environment,
    readFile: (path) => readFile(resolve(place.cwd, path), "utf8"),
    file,
  });
  return configuration.kinds;
}

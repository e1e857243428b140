import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { CustomKindSpec } from "#domain/workload/custom/kind";
import { loadConfiguration } from "./configuration.ts";

/** What `lookout.yaml` adds to the rights in a cluster. */
export interface ConfiguredKinds {
  /** The kinds of other operators. */
  readonly kinds: readonly CustomKindSpec[];
  /** True if objects of clusters declare updates. */
  readonly definitions: boolean;
}

/**
 * Returns the kinds that `lookout.yaml` configures. The default file is the one of the working directory, if any.
 *
 * @throws PermanentError if the file is invalid
 */
export async function configuredKinds(
  place: { readonly cwd: string; readonly environment: Readonly<Record<string, string | undefined>> },
  file: string | undefined,
): Promise<ConfiguredKinds> {
  const { configuration } = await loadConfiguration({
    environment: place.environment,
    readFile: (path) => readFile(resolve(place.cwd, path), "utf8"),
    file,
  });
  const { kinds, definitions } = configuration;
  return { kinds, definitions };
}

import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { ChosenConfiguration } from "#runtime/local/chosen-configuration";
import type { LocalSources } from "#runtime/local/configuration-secrets";
import type { World } from "./world.ts";

/** Reads a `lookout.yaml` as `lookout start` does. `file`: absent for the one of the directory. */
export async function readChosen(world: World, file: string | undefined): Promise<ChosenConfiguration> {
  const { chooseConfiguration } = await import("#runtime/local/chosen-configuration");
  return chooseConfiguration(file === undefined ? {} : { config: file }, sourcesOf(world));
}

/** Returns the variables and files of the command. */
export function sourcesOf({ cwd, environment }: World): LocalSources {
  return { environment, readFile: (path) => readFile(resolve(cwd, path), "utf8") };
}

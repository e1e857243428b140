import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { ChosenConfiguration } from "#runtime/local/chosen-configuration";
import type { World } from "./world.ts";

/** Reads a `lookout.yaml` as `lookout start` does. `file`: absent for the one of the directory. */
export async function readChosen({ cwd, environment }: World, file: string | undefined): Promise<ChosenConfiguration> {
  const { chooseConfiguration } = await import("#runtime/local/chosen-configuration");
  const flags = file === undefined ? {} : { config: file };
  return chooseConfiguration(flags, { environment, readFile: (path) => readFile(resolve(cwd, path), "utf8") });
}

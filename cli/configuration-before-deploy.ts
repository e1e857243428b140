import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Configuration } from "#contracts/config/configuration";
import { checkConfiguration, configurationFileName } from "#contracts/config/file";
import { ConfigurationSchema } from "#contracts/config/schema";
import { type DeployCheck, detailText } from "./answers/deploy-check.ts";
import type { World } from "./world.ts";

/** The check of a lookout.yaml, and its content. */
export interface ConfigurationCheck {
  readonly check: DeployCheck;
  /** An invalid file has no clusters and no secrets. */
  readonly configuration: Configuration;
}

/**
 * Reads the file that a deployment reads: the named file, else `LOOKOUT_CONFIG`, else the
 * `lookout.yaml` of the directory.
 */
export async function configurationBeforeDeploy(
  { cwd, environment }: Pick<World, "cwd" | "environment">,
  named: string | undefined,
): Promise<ConfigurationCheck> {
  const chosen = [named, environment.LOOKOUT_CONFIG].find((text) => text !== undefined && text !== "");
  const file = chosen ?? configurationFileName;
  const check = "lookout.yaml";
  const empty = ConfigurationSchema.parse({});
  const text = await readFile(resolve(cwd, file), "utf8").catch(() => undefined);
  if (text === undefined)
    return {
      check: {
        check,
        verdict: chosen === undefined ? "doubtful" : "wrong",
        detail: `${file} can't be read, so ${chosen === undefined ? "the stack has no clusters and receivers" : "nothing can be deployed"}`,
        remedy: "Name the file of the deployment:  --config FILE, or LOOKOUT_CONFIG",
      },
      configuration: empty,
    };
  const read = checkConfiguration(text);
  if (read.ok) {
    const { configuration } = read.value;
    const { clusters, receivers } = configuration;
    const detail = `${file} is valid: clusters ${clusters.length}, receivers ${receivers.length}`;
    return { check: { check, verdict: "well", detail }, configuration };
  }
  const [first] = read.problem;
  const where = first === undefined ? file : `${file}:${first.line}:${first.column}: ${first.text}`;
  return {
    check: {
      check,
      verdict: "wrong",
      detail: `${detailText(where)}. Clusters and secrets are not checked`,
      remedy: `To list all problems:  lookout config check ${file}`,
    },
    configuration: empty,
  };
}

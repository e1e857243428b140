/** The asset of all functions: their code and the configuration. */
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DockerImage, FileSystem } from "aws-cdk-lib";
import { Code } from "aws-cdk-lib/aws-lambda";
import type { Configuration } from "#contracts/config/configuration";

/**
 * The files that the asset omits: source maps. Source maps are several times as large as the code,
 * and Node would read them for each logged error.
 */
const leftOut = ["**/*.map"];

/**
 * Returns the functions' code with the configuration beside it. The configuration contains the
 * names of secrets, but no secret.
 *
 * @param functions - the output folder of `bundleFunctions`
 */
export function codeWith(configuration: Configuration, functions: string): Code {
  const text = `${JSON.stringify(configuration, undefined, 2)}\n`;
  return Code.fromAsset(functions, {
    // The hash includes the configuration, because two stacks of one app may differ only in it.
    assetHash: FileSystem.fingerprint(functions, { extraHash: text, exclude: leftOut }),
    bundling: {
      // The CDK requires an image, although the local bundling needs none.
      image: DockerImage.fromRegistry("scratch"),
      local: {
        tryBundle: (folder) => {
          cpSync(functions, folder, { recursive: true, filter: (path) => !path.endsWith(".map") });
          writeFileSync(join(folder, "configuration.json"), text);
          return true;
        },
      },
    },
  });
}

/** The asset of all functions: what was built, and what lookout.yaml says. */
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DockerImage, FileSystem } from "aws-cdk-lib";
import { Code } from "aws-cdk-lib/aws-lambda";
import type { Configuration } from "#contracts/config/configuration";

/**
 * Maps of the code stay where it was built: with them Lambda would load several times as much, and Node would read them whenever an error
 * is logged. Whoever has a trace of a function finds the maps beside the same build.
 */
const leftOut = ["**/*.map"];

/**
 * Puts the configuration beside the built functions, where they read it when they start. It names secrets and holds none.
 *
 * @param functions - the folder that `bundleFunctions` built.
 */
export function codeWith(configuration: Configuration, functions: string): Code {
  const text = `${JSON.stringify(configuration, undefined, 2)}\n`;
  return Code.fromAsset(functions, {
    // Two stacks of one app may differ in nothing but what lookout.yaml says.
    assetHash: FileSystem.fingerprint(functions, { extraHash: text, exclude: leftOut }),
    bundling: {
      // The CDK asks for an image even where everything is done without one.
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

/** Reads lookout.yaml for a stack. */
import { readFileSync, statSync } from "node:fs";
import { Annotations } from "aws-cdk-lib";
import type { Construct, IConstruct } from "constructs";
import { type Configuration, parseConfiguration } from "#contracts/config/configuration";
import { ConfigurationSchema } from "#contracts/config/schema";
import { configurationFileName, readConfiguration } from "#contracts/config/file";

/**
 * Returns the configuration of a stack. Without a file, the configuration has no clusters. Each
 * problem of the file is an error of the stack, so nothing is deployed.
 *
 * @param named - the file. The default is `lookout.yaml` of the working directory, if it exists.
 */
export function configurationFor(stack: Construct, named: string | undefined): Configuration {
  const file = named ?? configurationFileName;
  const isFile = statSync(file, { throwIfNoEntry: false })?.isFile() === true;
  if (!isFile && named !== undefined)
    return refused(
      stack,
      `the configuration ${file} is not a file: name a file with -c lookout:config=FILE or LOOKOUT_CONFIG=FILE`,
    );
  const read = readConfiguration(isFile ? readFileSync(file, "utf8") : "", file);
  if (!read.ok) return refused(stack, read.problem);
  const { configuration, written } = read.value;
  if (written.content === null) {
    const what = isFile ? `${file} is empty` : `there is no ${file}`;
    warn(
      stack,
      "no-configuration",
      `${what}: the stack has no clusters; \`lookout cluster add\` registers clusters later`,
    );
  }
  return configuration;
}

/**
 * Adds an error and returns an empty configuration. The rest of the stack is still built, so that
 * all errors are reported at the same time.
 */
function refused(stack: Construct, problem: string): Configuration {
  Annotations.of(stack).addError(problem);
  return ConfigurationSchema.parse({});
}

/** Removes clusters with a kubeconfig, with a warning: only a local process can use them. */
export function withoutKubeconfigs(scope: IConstruct, configuration: Configuration): Configuration {
  for (const { name, inCluster } of configuration.clusters.filter(({ eks }) => eks === undefined))
    warn(
      scope,
      `no-eks-${name}`,
      `the cluster ${name} has ${inCluster === true ? "inCluster" : "a kubeconfig"}, which functions can't use, so the stack ignores it. Write eks: {name: NAME} instead`,
    );
  return { ...configuration, clusters: configuration.clusters.filter(({ eks }) => eks !== undefined) };
}

function warn(construct: IConstruct, id: string, text: string): void {
  Annotations.of(construct).addWarningV2(`lookout:${id}`, text);
}

/** Returns checked keys of `lookout.yaml`. Adds an error for each problem, and then returns the defaults. */
export function checked(scope: Construct, keys: unknown): Configuration {
  const parsed = parseConfiguration(keys);
  if (parsed.ok) return parsed.value;
  for (const { path, value, message } of parsed.problem)
    Annotations.of(scope).addError(`${[path, value].filter((part) => part !== undefined).join(" ")}: ${message}`);
  return ConfigurationSchema.parse({});
}

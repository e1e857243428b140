/** What the stack makes of lookout.yaml. */
import { existsSync, readFileSync } from "node:fs";
import type { Stack } from "aws-cdk-lib";
import { Annotations } from "aws-cdk-lib";
import type { Construct } from "constructs";
import type { Configuration } from "#contracts/configuration";
import { configurationFileName, readConfiguration } from "#contracts/configuration-file";

/**
 * Reads what a stack is made from, and says as warnings of the stack what of it can't be used on AWS; that is left out.
 *
 * @param named - the file that was asked for. Absent: `lookout.yaml` of the working directory; without one it is a stack that knows no
 *   cluster yet.
 * @throws Error that lists every problem of the file with its line and column.
 */
export function configurationFor(stack: Stack, named: string | undefined): Configuration {
  const file = named ?? configurationFileName;
  const isThere = existsSync(file);
  if (!isThere && named !== undefined)
    throw new Error(
      `the configuration ${file} does not exist: name another file, -c lookout:config=FILE or LOOKOUT_CONFIG=FILE`,
    );
  const read = readConfiguration(isThere ? readFileSync(file, "utf8") : "", file);
  if (!read.ok) throw new Error(read.problem);
  const { configuration } = read.value;
  if (!isThere)
    warn(
      stack,
      "no-configuration",
      `there is no ${file}: the stack has no clusters; \`lookout cluster add\` registers one later`,
    );
  return withoutKubeconfigs(stack, configuration);
}

/** Nobody's kubeconfig is on AWS: such a cluster stays the business of the local process that it was written for. */
function withoutKubeconfigs(stack: Stack, configuration: Configuration): Configuration {
  for (const { name } of configuration.clusters.filter(({ eks }) => eks === undefined))
    warn(
      stack,
      `no-eks-${name}`,
      `the cluster ${name} is reached with a kubeconfig, which functions don't have: it is left out. Write eks: {name: NAME} in its place`,
    );
  return { ...configuration, clusters: configuration.clusters.filter(({ eks }) => eks !== undefined) };
}

function warn(construct: Construct, id: string, text: string): void {
  Annotations.of(construct).addWarningV2(`lookout:${id}`, text);
}

/** What the stack makes of lookout.yaml. */
import { readFileSync, statSync } from "node:fs";
import type { Stack } from "aws-cdk-lib";
import { Annotations } from "aws-cdk-lib";
import type { IConstruct } from "constructs";
import type { Configuration } from "#contracts/config/configuration";
import { ConfigurationSchema } from "#contracts/config/schema";
import { configurationFileName, readConfiguration } from "#contracts/config/file";

/**
 * Reads what a stack is made from; a stack without a file knows no cluster yet.
 *
 * Every problem of the file, with its line and column, is an error of the stack: nothing is deployed then.
 *
 * @param named - the file that was asked for. Absent: `lookout.yaml` of the working directory, if there is one.
 */
export function configurationFor(stack: Stack, named: string | undefined): Configuration {
  const file = named ?? configurationFileName;
  const isFile = statSync(file, { throwIfNoEntry: false })?.isFile() === true;
  if (!isFile && named !== undefined)
    return refused(
      stack,
      `the configuration ${file} is no file: name another file, -c lookout:config=FILE or LOOKOUT_CONFIG=FILE`,
    );
  const read = readConfiguration(isFile ? readFileSync(file, "utf8") : "", file);
  if (!read.ok) return refused(stack, read.problem);
  const { configuration, written } = read.value;
  if (written.content === null) {
    const what = isFile ? `${file} says nothing` : `there is no ${file}`;
    warn(stack, "no-configuration", `${what}: the stack has no clusters; \`lookout cluster add\` registers one later`);
  }
  return configuration;
}

/** Nothing is deployed then; the rest of the stack is made all the same, so that all that is wrong is told at once. */
function refused(stack: Stack, problem: string): Configuration {
  Annotations.of(stack).addError(problem);
  return ConfigurationSchema.parse({});
}

/** Leaves clusters of a kubeconfig out, with a warning: they stay the business of the local process that they were written for. */
export function withoutKubeconfigs(scope: IConstruct, configuration: Configuration): Configuration {
  for (const { name } of configuration.clusters.filter(({ eks }) => eks === undefined))
    warn(
      scope,
      `no-eks-${name}`,
      `the cluster ${name} is reached with a kubeconfig, which functions don't have: it is left out. Write eks: {name: NAME} in its place`,
    );
  return { ...configuration, clusters: configuration.clusters.filter(({ eks }) => eks !== undefined) };
}

function warn(construct: IConstruct, id: string, text: string): void {
  Annotations.of(construct).addWarningV2(`lookout:${id}`, text);
}

/** What the stack makes of lookout.yaml. */
import { readFileSync, statSync } from "node:fs";
import type { Stack } from "aws-cdk-lib";
import { Annotations } from "aws-cdk-lib";
import type { IConstruct } from "constructs";
import type { Configuration } from "#contracts/configuration";
import { ConfigurationSchema } from "#contracts/configuration-schema";
import { configurationFileName, readConfiguration } from "#contracts/configuration-file";

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
  const text = isFile ? readFileSync(file, "utf8") : undefined;
  if (text === undefined) sayThatNoneIsThere(stack, file, named !== undefined);
  const read = readConfiguration(text ?? "", file);
  if (read.ok) return read.value.configuration;
  Annotations.of(stack).addError(read.problem);
  return ConfigurationSchema.parse({});
}

function sayThatNoneIsThere(stack: Stack, file: string, isNamed: boolean): void {
  if (isNamed)
    Annotations.of(stack).addError(
      `the configuration ${file} is no file: name another file, -c lookout:config=FILE or LOOKOUT_CONFIG=FILE`,
    );
  else
    warn(
      stack,
      "no-configuration",
      `there is no ${file}: the stack has no clusters; \`lookout cluster add\` registers one later`,
    );
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

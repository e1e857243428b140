#!/usr/bin/env node
import { fileURLToPath } from "node:url";
import { App, Validations } from "aws-cdk-lib";
import { AwsSolutionsChecks, ServerlessChecks } from "cdk-nag";
import { bundleFunctions } from "../lib/bundle.ts";
import { LookoutStack } from "../lib/lookout-stack.ts";

const app = new App();
const context = (key: string): string | undefined => app.node.tryGetContext(`lookout:${key}`) as string | undefined;
/** `-c` gives texts, the file of the CDK may give anything. */
const accessEntries = String(app.node.tryGetContext("lookout:accessEntries") ?? true);
if (accessEntries !== "true" && accessEntries !== "false")
  throw new Error(`lookout:accessEntries is ${accessEntries}: expected true or false`);
const functions = fileURLToPath(new URL("../dist/functions", import.meta.url));
await bundleFunctions(functions);

new LookoutStack(app, context("stack") ?? process.env["LOOKOUT_STACK"] ?? "Lookout", {
  functions,
  configuration: context("config") ?? process.env["LOOKOUT_CONFIG"],
  accessEntries: accessEntries === "true",
});
Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
app.synth();

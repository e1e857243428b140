#!/usr/bin/env node
import { fileURLToPath } from "node:url";
import { App, Validations } from "aws-cdk-lib";
import { AwsSolutionsChecks, ServerlessChecks } from "cdk-nag";
import { bundleFunctions } from "../lib/functions/bundle.ts";
import { LookoutStack } from "../lib/stack/lookout-stack.ts";

const app = new App();
/**
 * Returns the value of `-c`, else of the environment variable. Ignores an empty value. Undefined
 * without a value.
 */
const setting = (key: string, variable: string): string | undefined =>
  [app.node.tryGetContext(`lookout:${key}`) as string | undefined, process.env[variable]].find(
    (text) => text !== undefined && text !== "",
  );
/** The setting as text. `-c` gives a text, but cdk.json may give any value. */
const accessEntries = String(app.node.tryGetContext("lookout:accessEntries") ?? true);
if (accessEntries !== "true" && accessEntries !== "false")
  throw new Error(`lookout:accessEntries is ${accessEntries}: expected true or false`);
const functions = fileURLToPath(new URL("../dist/functions", import.meta.url));
await bundleFunctions(functions);

new LookoutStack(app, setting("stack", "LOOKOUT_STACK") ?? "Lookout", {
  functions,
  configuration: setting("config", "LOOKOUT_CONFIG"),
  accessEntries: accessEntries === "true",
});
Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
app.synth();

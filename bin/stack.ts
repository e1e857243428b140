#!/usr/bin/env node
import { App, Validations } from "aws-cdk-lib";
import { AwsSolutionsChecks, ServerlessChecks } from "cdk-nag";
import { Settings } from "../lib/stack/settings.ts";
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
const { CDK_DEFAULT_ACCOUNT: account, CDK_DEFAULT_REGION: region } = process.env;

new LookoutStack(app, setting("stack", "LOOKOUT_STACK") ?? "Lookout", {
  settings: Settings.fromFile(setting("config", "LOOKOUT_CONFIG")),
  // The CDK sets both variables from the credentials and the profile. Without credentials, only the
  // region is known.
  env: { ...(account === undefined ? {} : { account }), ...(region === undefined ? {} : { region }) },
});
Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
app.synth();

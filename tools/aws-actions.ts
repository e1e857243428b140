import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { App } from "aws-cdk-lib";
import { format } from "prettier";
import { LookoutStack } from "../lib/stack/lookout-stack.ts";
import { Settings } from "../lib/stack/settings.ts";

/** The page of the actions. */
export const actionsFile = fileURLToPath(new URL("../docs/aws-actions.md", import.meta.url));

/** A lookout.yaml with everything that needs an action. */
const everything = {
  clusters: [
    { name: "prod", eks: { name: "prod" }, network: { vpc: "vpc-0a1b2c3d", subnets: ["subnet-0a1b2c3d"] } },
    { name: "other", eks: { name: "other", roleArn: "arn:aws:iam::210987654321:role/lookout" } },
  ],
  receivers: [
    { name: "registry", kind: "distribution", secretEnv: "SECRET" },
    { name: "builds", kind: "generic", secretId: "lookout/builds" },
  ],
  registries: [{ host: "registry.example.com", username: "lookout", passwordFile: "password" }],
  accounts: ["210987654321"],
  defaults: { nodePlatforms: "require" },
};

interface Statement {
  readonly Effect: "Allow" | "Deny";
  readonly Action: string | readonly string[];
}

interface Template {
  readonly Resources: Readonly<
    Record<
      string,
      {
        readonly Type: string;
        readonly Properties?: { readonly PolicyDocument?: { readonly Statement: readonly Statement[] } };
      }
    >
  >;
}

/** Returns the page of all actions and types of resources, from the template of a stack with everything. */
export function actionsText(): Promise<string> {
  const app = new App({ context: { "aws:cdk:bundling-stacks": [] }, analyticsReporting: false });
  const functions = fileURLToPath(new URL("../lib/functions", import.meta.url));
  const stack = new LookoutStack(app, "Lookout", { settings: Settings.of(everything), functions });
  const { Resources: resources } = app.synth().getStackArtifact(stack.artifactId).template as Template;
  const all = Object.values(resources);
  const actions = all
    .filter(({ Type: type }) => type === "AWS::IAM::Policy" || type === "AWS::IAM::ManagedPolicy")
    .flatMap(({ Properties: { PolicyDocument: document } = {} }) => document?.Statement ?? [])
    .filter(({ Effect: effect }) => effect === "Allow")
    .flatMap(({ Action: action }) => action);
  const types = all.map(({ Type: type }) => type).filter((type) => type !== "AWS::CDK::Metadata");
  const listed = (texts: readonly string[]) => [...new Set(texts)].sort().map((text) => `- \`${text}\``);
  const text = [
    "# Actions on AWS",
    "",
    "A service control policy or a permissions boundary must allow these actions and types. `npm run generate` writes this page from the template of a stack with everything that `lookout.yaml` can name.",
    "",
    "## What the roles of the stack may do",
    "",
    ...listed(actions),
    "",
    "## What CloudFormation creates",
    "",
    ...listed(types),
  ].join("\n");
  return format(`${text}\n`, { parser: "markdown", printWidth: 100, proseWrap: "always" });
}

if (import.meta.main) await writeFile(actionsFile, await actionsText());

import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { page } from "./markdown.ts";

const root = new URL("../..", import.meta.url).pathname;
const [, app = ""] = /```ts\n([\s\S]*?)```/.exec(page("docs/construct.md").text) ?? [];

describe("the CDK app of the page about the construct", () => {
  it("runs as it is written, with the code left out", () => {
    const quick = app.replace(`new Lookout(stack, "Lookout", {`, `$& functions: "test/lib/no-code",`);
    const told = `
      const { Template } = await import("aws-cdk-lib/assertions");
      const { Resources } = Template.fromStack(stack).toJSON();
      const errors = stack.node.findAll().flatMap(({ node }) => node.metadata).filter(({ type }) => type === "aws:cdk:error");
      console.log(JSON.stringify([Object.values(Resources).map(({ Type }: any) => Type), errors]));`;
    const input = quick.replace("new App()", `new App({ context: { "aws:cdk:bundling-stacks": [] } })`) + told;
    const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module-typescript", "--no-warnings"], {
      ...{ cwd: root, input, encoding: "utf8" },
    });
    const [types, problems] = JSON.parse(stdout === "" ? JSON.stringify([[stderr], []]) : stdout) as [
      string[],
      unknown[],
    ];

    expect(quick).not.toBe(app);
    expect(problems).toEqual([]);
    expect(types).toEqual(
      expect.arrayContaining([
        ...[
          "AWS::DynamoDB::GlobalTable",
          "AWS::EKS::AccessEntry",
          "AWS::SecretsManager::Secret",
          "AWS::CloudWatch::Alarm",
        ],
      ]),
    );
  }, 60_000);
});

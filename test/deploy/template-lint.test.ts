import { join } from "node:path";
import { Stack } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { describe, expect, it } from "vitest";
import { LookoutMember } from "#lib/stack/lookout-member";
import { LookoutStack } from "#lib/stack/lookout-stack";
import { Settings } from "#lib/stack/settings";
import { noCode, testApp } from "#test/lib/deployed";
import { type Finding, lintPolicies, lintTemplates, type TemplateJson } from "./bed/lint.ts";

/** The findings that are no faults, each with the reason. */
const accepted = [
  {
    rule: "W3005",
    where: /\/DependsOn\/\d+$/,
    reason: "the CDK adds the dependency on a role because it also needs the role's policy; CloudFormation allows both",
  },
  {
    rule: "RESOURCE_STAR",
    where: /^everything\/\w+RoleDefaultPolicy\w+$/,
    message: /ec2:(Assign|Create|Delete|Unassign)/,
    reason: "Lambda manages the network interfaces of a VPC with the function's role, before they have names",
  },
] as const;

const templates = {
  nothing: templateOf(new LookoutStack(testApp(), "Lookout", { functions: noCode })),
  everything: templateOf(
    new LookoutStack(testApp(), "Lookout", {
      functions: noCode,
      settings: Settings.fromFile(join(import.meta.dirname, "../lib/everything.yaml")),
    }),
  ),
  member: templateOf(memberStack()),
};

function memberStack(): Stack {
  const stack = new Stack(testApp(), "Member");
  new LookoutMember(stack, "Member", {
    busArn: "arn:aws:events:eu-central-1:111122223333:event-bus/LookoutBus",
    accessRoleArn: "arn:aws:iam::111122223333:role/lookout/LookoutAccess",
    registryRoleArn: "arn:aws:iam::111122223333:role/lookout/LookoutRegistry",
    clusterNames: ["prod"],
    clusterNamesWithoutEntry: ["old"],
    readsLayers: true,
  });
  return stack;
}

function templateOf(stack: Stack): TemplateJson {
  return Template.fromStack(stack).toJSON() as TemplateJson;
}

function rowOf(finding: Finding): (typeof accepted)[number] | undefined {
  return accepted.find(
    (row) =>
      row.rule === finding.rule &&
      row.where.test(finding.where) &&
      (!("message" in row) || row.message.test(finding.message)),
  );
}

describe("the templates of no lookout.yaml, of one with everything, and of a member account", () => {
  it("have no finding of cfn-lint or parliament without a reason", async () => {
    const findings = [...(await lintTemplates(templates)), ...(await lintPolicies(templates))];

    expect(findings.filter((finding) => rowOf(finding) === undefined)).toEqual([]);
    expect(new Set(findings.map(rowOf))).toEqual(new Set(accepted));
  });
});

describe("the linters", () => {
  it("find a property that AWS refuses, an unknown action, and an ARN of another service", async () => {
    const policy = (Action: string, Resource: string) => ({ Statement: [{ Effect: "Allow", Action, Resource }] });
    const wrong = {
      Resources: {
        Queue: { Type: "AWS::SQS::Queue", Properties: { DelaySeconds: 901 } },
        Unknown: {
          Type: "AWS::IAM::ManagedPolicy",
          Properties: { PolicyDocument: { Version: "2012-10-17", ...policy("sqs:SendMessages", "*") } },
        },
        Elsewhere: {
          Type: "AWS::IAM::ManagedPolicy",
          Properties: {
            PolicyDocument: {
              Version: "2012-10-17",
              ...policy("dynamodb:PutItem", "arn:aws:sqs:us-east-1:111122223333:q"),
            },
          },
        },
      },
    };
    const rulesAt = (findings: readonly Finding[]) => findings.map(({ rule, where }) => `${rule} ${where}`).toSorted();

    expect(rulesAt(await lintTemplates({ wrong }))).toEqual([
      "E3034 wrong/Resources/Queue/Properties/DelaySeconds",
      "W3037 wrong/Resources/Unknown/Properties/PolicyDocument/Statement/0/Action",
    ]);
    expect(rulesAt(await lintPolicies({ wrong }))).toEqual([
      "RESOURCE_MISMATCH wrong/Elsewhere",
      "UNKNOWN_ACTION wrong/Unknown",
    ]);
  });
});
